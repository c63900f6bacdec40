import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { BUNDLE, ERROR_STATUS } from '@bindery/contract';
import type { Logger } from 'pino';
import { contentLost, libraryPurged, notFound, ServiceError } from '../../../errors.ts';
import { unlessMissing } from '../../../objects/missing.ts';
import type { AnnouncedUpload, ObjectAddress, UploadIntake } from '../../../objects/store.ts';
import { sendEmpty } from '../http/answers.ts';
import { contentMismatch, gatherBody } from '../http/body.ts';
import {
  type Batches,
  beginBundle,
  frameHead,
  readUrls,
  receiveBundle,
  statusOfMissing,
} from '../http/bundle.ts';
import { beginDownload, type ObjectHeaders, type Piece } from '../http/download.ts';
import type { PresignedUrls } from '../http/presigned-urls.ts';
import type { StorageRoutes } from '../http/serve.ts';
import type { Bucket } from './bucket.ts';
import type { Keys } from './keys.ts';

/** Files of a bundle that are read or stored together. */
const BATCH_FILES = 16;
/** Bytes of files that are stored together, unless a single file is larger. */
const BATCH_BYTES = 1024 * 1024;
/** Batches of a bundle that are in progress at the same time. */
const BATCHES_AT_ONCE = 2;

interface SmallFileParts {
  bucket: Bucket;
  keys: Keys;
  urls: PresignedUrls;
  intake: UploadIntake;
  isLost: (object: ObjectAddress) => Promise<boolean>;
  log: Logger;
}

/**
 * Transfers small files through the service, because requests to the bucket would cost clients more than the bytes: the
 * service verifies and stores uploads, and fetches downloads from the bucket. Files of any size can be downloaded this
 * way.
 */
export class SmallFiles {
  readonly routes: StorageRoutes = {
    sendBundle: (request, response) => this.#sendBundle(request, response),
    receiveBundle: (request, response) =>
      receiveBundle(this.#parts.urls, new StoredBatches(this.#parts), request, response),
    download: (request, response, object, headers) => this.#download(request, response, object, headers),
    receiveFile: (request, response, upload) => this.#receiveFile(request, response, upload),
    // Parts are sent to the bucket itself, with presigned URLs of its own.
    receivePart: async () => {
      throw notFound();
    },
  };
  readonly #parts: SmallFileParts;

  constructor(parts: SmallFileParts) {
    this.#parts = parts;
  }

  async #receiveFile(
    request: IncomingMessage,
    response: ServerResponse,
    upload: AnnouncedUpload,
  ): Promise<void> {
    if (upload.size > BUNDLE.fileBytes) throw notFound();
    using _expected = await this.#parts.intake.reserve([upload]);
    const bytes = await gatherBody(request, upload.size);
    const sha256 = await storeVerified(this.#parts, upload, bytes);
    await reportStored(this.#parts, [{ upload, sha256 }]);
    sendEmpty(response, 200, ['Content-Length', '0', 'ETag', `"${sha256}"`]);
  }

  async #download(
    request: IncomingMessage,
    response: ServerResponse,
    object: ObjectAddress,
    headers: ObjectHeaders,
  ): Promise<void> {
    const { bucket, keys, isLost } = this.#parts;
    const key = keys.object(object);
    const size = await bucket.size(key);
    if (size === null) throw (await isLost(object)) ? contentLost('this file') : notFound();
    const pieces = beginDownload(request, response, { sha256: object.sha256, size }, headers);
    if (pieces === null) return;
    await pipeline(this.#read(key, pieces), response).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    });
  }

  async *#read(key: string, pieces: readonly Piece[]): AsyncGenerator<Buffer> {
    for (const piece of pieces) {
      if ('bytes' in piece) yield piece.bytes;
      else yield* this.#parts.bucket.read(key, { start: piece.start, end: piece.start + piece.length - 1 });
    }
  }

  async #sendBundle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = await readUrls(request);
    beginBundle(response);
    await pipeline(this.#frames(asked), response).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    });
  }

  /** Yields the frames in batches; the next ones are read while one is sent. */
  async *#frames(asked: readonly string[]): AsyncGenerator<Buffer> {
    const budget = { left: BUNDLE.bytes };
    const read: Promise<Buffer>[] = [];
    for (let at = 0; at < asked.length || read.length > 0; at += BATCH_FILES) {
      if (at < asked.length) read.push(this.#batch(asked.slice(at, at + BATCH_FILES), budget));
      if (read.length <= BATCHES_AT_ONCE && at + BATCH_FILES < asked.length) continue;
      const next = await read.shift();
      if (next) yield next;
    }
  }

  /** Concatenates the frames of a batch: each write to a connection costs more than the copy. */
  async #batch(asked: readonly string[], budget: { left: number }): Promise<Buffer> {
    const frames = await Promise.all(asked.map((url) => this.#frame(url, budget)));
    return Buffer.concat(frames.flatMap(({ status, bytes }) => [frameHead(status, bytes.length), bytes]));
  }

  async #frame(url: string, budget: { left: number }): Promise<{ status: number; bytes: Buffer }> {
    const verdict = this.#parts.urls.verify('GET', url);
    if (verdict === 'forged' || verdict === 'expired') return refused(403);
    if (verdict === 'unknown' || verdict.kind !== 'get') return refused(404);
    const key = this.#parts.keys.object(verdict.object);
    try {
      const bytes = await unlessMissing(this.#parts.bucket.readSmall(key, BUNDLE.fileBytes));
      if (bytes === null) return refused(await statusOfMissing(this.#parts, verdict.object));
      if (bytes === 'larger' || bytes.length > budget.left) return refused(413);
      budget.left -= bytes.length;
      return { status: 200, bytes };
    } catch (error) {
      if (error instanceof ServiceError) return refused(error.status);
      this.#parts.log.error({ err: error }, 'a storage request failed');
      return refused(ERROR_STATUS.internal);
    }
  }
}

interface ReadFile {
  upload: AnnouncedUpload;
  bytes: Buffer;
}

/** Stores the files of a bundle in batches while the next ones are read. */
class StoredBatches implements Batches {
  readonly #parts: SmallFileParts;
  readonly #stored: { upload: AnnouncedUpload; sha256: string }[] = [];
  readonly #running = new Set<Promise<void>>();
  #batch: ReadFile[] = [];
  #bytes = 0;
  #room: Buffer = Buffer.alloc(0);
  #failure: { error: unknown } | null = null;

  constructor(parts: SmallFileParts) {
    this.#parts = parts;
  }

  async roomFor(size: number): Promise<Buffer> {
    if (this.#batch.length === BATCH_FILES || this.#bytes + size > BATCH_BYTES) this.#send();
    while (this.#running.size >= BATCHES_AT_ONCE) await Promise.race(this.#running);
    if (this.#failure) throw this.#failure.error;
    this.#room = Buffer.allocUnsafe(size);
    return this.#room;
  }

  add(upload: AnnouncedUpload): void {
    this.#batch.push({ upload, bytes: this.#room });
    this.#bytes += upload.size;
  }

  async finish(): Promise<void> {
    this.#send();
    await Promise.all(this.#running);
    if (this.#stored.length > 0) await reportStored(this.#parts, this.#stored);
    if (this.#failure) throw this.#failure.error;
  }

  #send(): void {
    const batch = this.#batch;
    if (batch.length === 0) return;
    this.#batch = [];
    this.#bytes = 0;
    const storing: Promise<void> = this.#store(batch)
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#running.delete(storing));
    this.#running.add(storing);
  }

  /** Stores a batch. Files that were stored are kept even if others fail. */
  async #store(batch: readonly ReadFile[]): Promise<void> {
    using _expected = await this.#parts.intake.reserve(batch.map(({ upload }) => upload));
    const results = await Promise.allSettled(
      batch.map(async ({ upload, bytes }) => {
        const sha256 = await storeVerified(this.#parts, upload, bytes);
        this.#stored.push({ upload, sha256 });
      }),
    );
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }
}

async function storeVerified(
  { bucket, keys }: SmallFileParts,
  upload: AnnouncedUpload,
  bytes: Buffer,
): Promise<string> {
  const sha256 = hash('sha256', bytes);
  if (upload.sha256 !== null && upload.sha256 !== sha256) throw contentMismatch(upload, sha256);
  await bucket.put(keys.object({ storeId: upload.storeId, sha256 }), bytes.length, sha256, bytes);
  return sha256;
}

/** Reports stored files. If libraries were purged meanwhile, deletes their files and throws `upload_not_found`. */
async function reportStored(
  { intake, bucket, keys }: SmallFileParts,
  stored: readonly { upload: AnnouncedUpload; sha256: string }[],
): Promise<void> {
  const gone = await intake.received(
    stored.map(({ upload, sha256 }) => ({ upload, stored: { sha256, size: upload.size } })),
  );
  if (gone.size === 0) return;
  const dropped = stored.filter(({ upload }) => gone.has(upload.storeId));
  await bucket.delete(dropped.map(({ upload, sha256 }) => keys.object({ storeId: upload.storeId, sha256 })));
  throw libraryPurged();
}

function refused(status: number): { status: number; bytes: Buffer } {
  return { status, bytes: Buffer.alloc(0) };
}
