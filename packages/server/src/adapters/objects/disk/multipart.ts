import { createHash, type Hash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { ServiceError } from '../../../errors.ts';
import { forEachBounded } from '../../../objects/bounded.ts';
import { unlessMissing } from '../../../objects/missing.ts';
import type { MultipartUpload, Reclaimed, StoredObject, StoredPart } from '../../../objects/store.ts';
import type { PartAddress } from './addresses.ts';
import { close, digestFile, makeFolder, open, PRIVATE_FILE, stat, unlink } from './files.ts';
import type { Layout } from './layout.ts';
import { mismatch } from './receive.ts';
import type { WaitingRoom } from './waiting-room.ts';

const MARKER = /^(\d+)-([0-9a-f]{64})$/;
const CONCURRENCY = 16;

/**
 * Multipart uploads. All parts of one go into one file, each at its offset, so that joining them neither copies
 * bytes nor needs the space twice. An empty marker file per part says that it arrived whole, and its hash.
 */
export class MultipartUploads {
  readonly #layout: Layout;
  readonly #waitingRoom: WaitingRoom;
  /** Parts on their way in; a newer attempt at the same part ends the older one. */
  readonly #arriving = new Map<string, AbortController>();

  constructor(layout: Layout, waitingRoom: WaitingRoom) {
    this.#layout = layout;
    this.#waitingRoom = waitingRoom;
  }

  /** Stores one part. `fill` writes its bytes into the open file and answers their SHA-256. */
  async receivePart(
    part: PartAddress,
    fill: (fd: number, superseded: AbortSignal) => Promise<string>,
  ): Promise<string> {
    const folder = this.#layout.upload(part);
    const key = `${part.uploadId}/${part.partNumber}`;
    this.#arriving.get(key)?.abort();
    const attempt = new AbortController();
    this.#arriving.set(key, attempt);
    try {
      await makeFolder(folder);
      await this.#forget(folder, new Set([part.partNumber]));
      const fd = await openOrCreate(`${folder}/content`);
      try {
        const sha256 = await fill(fd, attempt.signal);
        if (attempt.signal.aborted)
          throw new ServiceError('bad_request', 'Another upload of this part began.');
        await close(await open(`${folder}/${part.partNumber}-${sha256}`, 'w', PRIVATE_FILE));
        return sha256;
      } finally {
        await close(fd);
      }
    } finally {
      if (this.#arriving.get(key) === attempt) this.#arriving.delete(key);
    }
  }

  async storedParts(upload: MultipartUpload): Promise<StoredPart[]> {
    const folder = this.#layout.upload(upload);
    const names = await unlessMissing(fs.promises.readdir(folder));
    if (!names?.includes('content')) return [];
    const parts = new Map<number, StoredPart>();
    for (const name of names) {
      const [, number, sha256] = MARKER.exec(name) ?? [];
      if (!number || !sha256) continue;
      const partNumber = Number(number);
      const size = sizeOfPart(upload, partNumber);
      if (size > 0) parts.set(partNumber, { partNumber, size, etag: `"${sha256}"` });
    }
    return [...parts.values()].sort((a, b) => a.partNumber - b.partNumber);
  }

  /**
   * Joins the parts. The bytes are read once for the digest of the whole, and compared with the digest that each part
   * had when it arrived: what a power cut has eaten since is wanted again, not taken for the client's bytes.
   */
  async complete(upload: MultipartUpload): Promise<StoredObject> {
    const parts = await this.storedParts(upload);
    const wanted = Math.ceil(upload.size / upload.partSize);
    if (parts.length !== wanted) throw partsMissing(missingNumbers(parts, wanted));
    const folder = this.#layout.upload(upload);
    const file = `${folder}/content`;
    const check = new PartDigests(upload);
    const stored = await digestFile(file, (chunk, position) => check.update(chunk, position));
    const damaged = parts.filter(({ partNumber, etag }) => check.etagOf(partNumber) !== etag);
    if (damaged.length > 0) {
      const numbers = damaged.map(({ partNumber }) => partNumber);
      await this.#forget(folder, new Set(numbers));
      throw partsMissing(numbers);
    }
    if (stored.size !== upload.size || (upload.sha256 !== null && upload.sha256 !== stored.sha256)) {
      await this.abort(upload);
      throw mismatch(`The parts together are not what was announced for "${upload.path}". Upload it again.`, {
        expected: { size: upload.size, sha256: upload.sha256 },
        received: stored,
      });
    }
    await this.#waitingRoom.admit(upload.storeId, stored.sha256, file);
    await this.abort(upload);
    return stored;
  }

  async abort(upload: { storeId: string; uploadId: string }): Promise<void> {
    await removeFolder(this.#layout, this.#layout.upload(upload));
  }

  /** Deletes uploads of which no part came since before `before`. */
  async removeAbandoned(before: number): Promise<Reclaimed> {
    const freed: Reclaimed = { objects: 0, bytes: 0 };
    for (const storeId of await fs.promises.readdir(this.#layout.parts)) {
      const store = this.#layout.storeOf('parts', storeId);
      for (const uploadId of (await unlessMissing(fs.promises.readdir(store))) ?? []) {
        const folder = `${store}/${uploadId}`;
        const content = await unlessMissing(stat(`${folder}/content`));
        const latest = content ?? (await unlessMissing(stat(folder)));
        if (!latest || latest.mtimeMs >= before) continue;
        await removeFolder(this.#layout, folder);
        freed.objects += 1;
        freed.bytes += content ? content.blocks * 512 : 0;
      }
      await fs.promises.rmdir(store).catch(() => {});
    }
    return freed;
  }

  /** Removes the markers of some parts. */
  async #forget(folder: string, numbers: ReadonlySet<number>): Promise<void> {
    const markers = (await fs.promises.readdir(folder)).filter((name) =>
      numbers.has(Number(MARKER.exec(name)?.[1])),
    );
    await forEachBounded(markers, CONCURRENCY, async (name) => {
      await unlessMissing(unlink(`${folder}/${name}`));
    });
  }
}

/** Hashes a file part by part while it is read from the front. */
class PartDigests {
  readonly #partSize: number;
  readonly #etags: string[] = [];
  readonly #size: number;
  #current: Hash = createHash('sha256');

  constructor({ partSize, size }: MultipartUpload) {
    this.#partSize = partSize;
    this.#size = size;
  }

  update(chunk: Buffer, position: number): void {
    const boundary = (this.#etags.length + 1) * this.#partSize;
    const rest = boundary - position;
    this.#current.update(chunk.subarray(0, rest));
    if (position + chunk.length >= boundary || position + chunk.length >= this.#size) {
      this.#etags.push(`"${this.#current.digest('hex')}"`);
      this.#current = createHash('sha256');
    }
    if (chunk.length > rest) this.update(chunk.subarray(rest), boundary);
  }

  etagOf(partNumber: number): string | undefined {
    return this.#etags[partNumber - 1];
  }
}

function sizeOfPart({ size, partSize }: MultipartUpload, partNumber: number): number {
  return Math.min(partSize, size - (partNumber - 1) * partSize);
}

function missingNumbers(parts: readonly StoredPart[], wanted: number): number[] {
  const there = new Set(parts.map(({ partNumber }) => partNumber));
  return Array.from({ length: wanted }, (_, index) => index + 1).filter((number) => !there.has(number));
}

function partsMissing(numbers: number[]): ServiceError {
  const listed = numbers.slice(0, 100);
  return new ServiceError(
    'parts_missing',
    `${numbers.length} parts are still wanted: ${listed.join(', ')}.`,
    {
      parts: listed,
      total: numbers.length,
    },
  );
}

async function openOrCreate(path: string): Promise<number> {
  await close(await open(path, 'a', PRIVATE_FILE));
  return open(path, 'r+', PRIVATE_FILE);
}

/** Out of sight in one step, so that a crash never leaves half of it behind as if it were whole. */
export async function removeFolder(layout: Layout, folder: string): Promise<void> {
  const aside = `${layout.temporary}/${randomBytes(12).toString('hex')}`;
  if ((await unlessMissing(fs.promises.rename(folder, aside).then(() => true))) === null) return;
  await fs.promises.rm(aside, { recursive: true, force: true });
}
