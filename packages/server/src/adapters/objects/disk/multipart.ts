import { createHash, type Hash } from 'node:crypto';
import fs from 'node:fs';
import { forEachBounded, KeyedMutex } from '@bindery/concurrency';
import { unlessMissing } from '../../../objects/missing.ts';
import type { MultipartUpload, Reclaimed, StoredObject, StoredPart } from '../../../objects/store.ts';
import { close, copyInto, digestFile, makeFolder, open, PRIVATE_FILE, stat, unlink } from '../files.ts';
import type { PartUrl } from '../http/presigned-urls.ts';
import {
  missingNumbers,
  partsMissing,
  requireAnnounced,
  sizeOfPart,
  uploadNotFound,
} from '../multipart-failures.ts';
import { type Layout, temporaryPath, withTemporaryFile } from './layout.ts';
import type { Staging } from './staging.ts';

const MARKER = /^(\d+)-([0-9a-f]{64})$/;
const JOINED = 'joined-';
const CONCURRENCY = 16;
/** Bytes per block as counted by `stat`. */
const BLOCK_BYTES = 512;

/** The bytes of all parts, joined. Only the service itself ever opens this file for writing. */
const CONTENT = 'content';

/**
 * Multipart uploads. Each attempt at a part is received into a separate file. Once it is complete, the service copies
 * it to its offset in one file for all parts, and an empty marker file records its presence and hash. Copying, joining
 * and deleting are serialized per upload, so a client that is still sending when the file becomes an object cannot
 * change it.
 *
 * An upload accepts parts from `begin` until it is completed or aborted. A completed upload leaves its markers behind,
 * so that repeating `complete` or sending the same part again succeeds.
 */
export class MultipartUploads {
  readonly #layout: Layout;
  readonly #staging: Staging;
  readonly #changes = new KeyedMutex();

  constructor(layout: Layout, staging: Staging) {
    this.#layout = layout;
    this.#staging = staging;
  }

  async begin(upload: { storeId: string; uploadId: string }): Promise<void> {
    await makeFolder(this.#layout.upload(upload));
  }

  /** Throws `upload_not_found` if the upload was not begun, was aborted or has expired. */
  async requireBegun(upload: { storeId: string; uploadId: string }): Promise<void> {
    if (!(await unlessMissing(stat(this.#layout.upload(upload))))) throw uploadNotFound();
  }

  /**
   * Stores one part. `receive` writes its bytes into the open file and returns their SHA-256. Of several attempts, the
   * last one to complete wins. Throws `upload_not_found`.
   */
  async receivePart(part: PartUrl, receive: (fd: number) => Promise<string>): Promise<string> {
    return withTemporaryFile(this.#layout, async (fd, path) => {
      const sha256 = await receive(fd);
      const folder = this.#layout.upload(part);
      const placed = await unlessMissing(
        this.#changes.run(folder, () => this.#place(folder, part, sha256, path).then(() => true)),
      );
      if (placed === null) throw uploadNotFound();
      await unlink(path);
      return sha256;
    });
  }

  async #place(folder: string, part: PartUrl, sha256: string, received: string): Promise<void> {
    const names = await fs.promises.readdir(folder);
    const marker = `${part.partNumber}-${sha256}`;
    if (names.includes(marker)) return;
    if (joinedHash(names) !== null) throw uploadNotFound();
    await this.#forget(folder, new Set([part.partNumber]));
    await copyInto(received, `${folder}/${CONTENT}`, part.offset);
    await makeEmpty(`${folder}/${marker}`);
  }

  async storedParts(upload: MultipartUpload): Promise<StoredPart[]> {
    const names = (await unlessMissing(fs.promises.readdir(this.#layout.upload(upload)))) ?? [];
    return names.includes(CONTENT) || joinedHash(names) !== null ? partsNamed(names, upload) : [];
  }

  /**
   * Joins the parts. The bytes are read once, to compute the digest of the whole and to compare each part with the
   * digest that it had when it arrived: parts that a power cut has damaged since are requested again instead of being
   * taken for the client's bytes. Completing again returns the same result.
   */
  complete(upload: MultipartUpload): Promise<StoredObject> {
    const folder = this.#layout.upload(upload);
    return this.#changes.run(folder, async () => {
      const names = await unlessMissing(fs.promises.readdir(folder));
      if (names === null) throw uploadNotFound();
      const joined = joinedHash(names);
      return joined === null ? this.#join(upload, folder) : { sha256: joined, size: upload.size };
    });
  }

  async #join(upload: MultipartUpload, folder: string): Promise<StoredObject> {
    const parts = await this.storedParts(upload);
    const wanted = Math.ceil(upload.size / upload.partSize);
    if (parts.length !== wanted) throw partsMissing(missingNumbers(parts, wanted));
    const file = `${folder}/${CONTENT}`;
    const check = new PartDigests(upload);
    const stored = await digestFile(file, (chunk, position) => check.update(chunk, position));
    const damaged = parts.filter(({ partNumber, etag }) => check.etagOf(partNumber) !== etag);
    if (damaged.length > 0) {
      const numbers = damaged.map(({ partNumber }) => partNumber);
      await this.#forget(folder, new Set(numbers));
      throw partsMissing(numbers);
    }
    try {
      requireAnnounced(upload, stored);
    } catch (error) {
      await deleteFolder(this.#layout, folder);
      throw error;
    }
    await this.#staging.stage(upload.storeId, stored.sha256, file);
    await makeEmpty(`${folder}/${JOINED}${stored.sha256}`);
    return stored;
  }

  async abort(upload: { storeId: string; uploadId: string }): Promise<void> {
    const folder = this.#layout.upload(upload);
    await this.#changes.run(folder, () => deleteFolder(this.#layout, folder));
  }

  /** Returns the bytes of all parts received for a store. */
  async bytes(storeId: string): Promise<number> {
    const store = this.#layout.storeOf('parts', storeId);
    let bytes = 0;
    for (const uploadId of (await unlessMissing(fs.promises.readdir(store))) ?? []) {
      const content = await unlessMissing(stat(`${store}/${uploadId}/${CONTENT}`));
      bytes += content ? content.blocks * BLOCK_BYTES : 0;
    }
    return bytes;
  }

  /** Deletes uploads that have received no part since `before`. */
  async deleteAbandoned(before: number): Promise<Reclaimed> {
    const freed: Reclaimed = { objects: 0, bytes: 0 };
    for (const storeId of await fs.promises.readdir(this.#layout.parts)) {
      const store = this.#layout.storeOf('parts', storeId);
      for (const uploadId of (await unlessMissing(fs.promises.readdir(store))) ?? []) {
        const folder = `${store}/${uploadId}`;
        const bytes = await this.#changes.run(folder, () => this.#deleteIfOlder(folder, before));
        if (bytes === null) continue;
        freed.objects += 1;
        freed.bytes += bytes;
      }
      await fs.promises.rmdir(store).catch(() => {});
    }
    return freed;
  }

  /** Returns the bytes freed, or null if the upload does not exist, has no content or is kept. */
  async #deleteIfOlder(folder: string, before: number): Promise<number | null> {
    const content = await unlessMissing(stat(`${folder}/${CONTENT}`));
    const latest = content ?? (await unlessMissing(stat(folder)));
    if (!latest || latest.mtimeMs >= before) return null;
    await deleteFolder(this.#layout, folder);
    return content && content.blocks * BLOCK_BYTES;
  }

  /** Deletes the markers of the given parts. */
  async #forget(folder: string, numbers: ReadonlySet<number>): Promise<void> {
    const markers = (await fs.promises.readdir(folder)).filter((name) =>
      numbers.has(Number(MARKER.exec(name)?.[1])),
    );
    await forEachBounded(markers, { concurrency: CONCURRENCY }, async (name) => {
      await unlessMissing(unlink(`${folder}/${name}`));
    });
  }
}

/** The parts that have a marker. */
function partsNamed(names: readonly string[], upload: MultipartUpload): StoredPart[] {
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

/** Returns the hash of the whole if the parts have been joined, otherwise null. */
function joinedHash(names: readonly string[]): string | null {
  return names.find((name) => name.startsWith(JOINED))?.slice(JOINED.length) ?? null;
}

async function makeEmpty(path: string): Promise<void> {
  await close(await open(path, 'w', PRIVATE_FILE));
}

/** Deletes a folder, moving it aside first, so that a crash never leaves a partial folder that looks complete. */
export async function deleteFolder(layout: Layout, folder: string): Promise<void> {
  const aside = temporaryPath(layout);
  if ((await unlessMissing(fs.promises.rename(folder, aside).then(() => true))) === null) return;
  await fs.promises.rm(aside, { recursive: true, force: true });
}

/** Hashes a file part by part while it is read from the start. Sizes are in bytes. */
export class PartDigests {
  readonly #partSize: number;
  readonly #etags: string[] = [];
  readonly #size: number;
  #current: Hash = createHash('sha256');

  constructor({ partSize, size }: { partSize: number; size: number }) {
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
