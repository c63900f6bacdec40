import { createHash, hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { libraryPurged } from '../../../errors.ts';
import type { AnnouncedUpload, ReceivedUpload, UploadIntake } from '../../../objects/store.ts';
import { writeAll } from '../files.ts';
import { sendEmpty } from '../http/answers.ts';
import { checkContentLength, contentMismatch, gatherBody, readExactly } from '../http/body.ts';
import type { PartUrl } from '../http/presigned-urls.ts';
import { blocks, type Claim, type DiskSpace } from './disk-space.ts';
import { type Layout, withTemporaryFile } from './layout.ts';
import type { MultipartUploads } from './multipart.ts';
import type { Staging } from './staging.ts';
import type { StagedFiles } from './worker/disk-worker.ts';

/** Handles PUT of a whole file, which is staged, verified and recorded before the response is sent. */
export async function receiveFile(
  store: UploadReceiver,
  request: IncomingMessage,
  response: ServerResponse,
  upload: AnnouncedUpload,
): Promise<void> {
  using _expected = await store.intake.reserve([upload]);
  using room = await store.space.claim(upload.size);
  const body = await receiveBody(request, upload.size);
  const sha256 = await withTemporaryFile(store.layout, async (fd, path) => {
    const received = await body.store(fd, room);
    if (upload.sha256 !== null && upload.sha256 !== received) throw contentMismatch(upload, received);
    await store.staging.stage(upload.storeId, received, path);
    return received;
  });
  await reportReceived(store, [{ upload, stored: { sha256, size: upload.size } }]);
  sendEmpty(response, 200, ['Content-Length', '0', 'ETag', `"${sha256}"`]);
}

/** Handles PUT of one part. */
export async function receivePart(
  { multipart, space, intake }: UploadReceiver,
  request: IncomingMessage,
  response: ServerResponse,
  part: PartUrl,
): Promise<void> {
  await multipart.requireBegun(part);
  using _expected = await intake.reserve([part]);
  // The part is on disk twice until it has been copied to its place among the others.
  using room = await space.claim(2 * part.size);
  const body = await receiveBody(request, part.size);
  const sha256 = await multipart.receivePart(part, (fd) => body.store(fd, room));
  await intake.partReceived(part);
  sendEmpty(response, 200, ['Content-Length', '0', 'ETag', `"${sha256}"`]);
}

export interface UploadReceiver extends StagingParts {
  layout: Layout;
  multipart: MultipartUploads;
}

/** Bodies up to this size are buffered in memory before a file is opened, and written at once. */
const GATHERED = 256 * 1024;

/** A request body, which has exactly the announced size or fails. */
interface Body {
  /** Writes the bytes into an empty open file, using the claimed space, and returns their SHA-256. */
  store(fd: number, room: Claim): Promise<string>;
}

/** Receives a body of exactly `size` bytes; rejects a wrong announced length before any of it is read. */
async function receiveBody(request: IncomingMessage, size: number): Promise<Body> {
  if (size > GATHERED) {
    checkContentLength(request, size);
    return { store: (fd, room) => writeThrough(readExactly(request, size), fd, room) };
  }
  const bytes = await gatherBody(request, size);
  return {
    store: async (fd, room) => {
      await writeAll(fd, bytes);
      room.wrote(size);
      return hash('sha256', bytes, 'hex');
    },
  };
}

async function writeThrough(chunks: AsyncIterable<Buffer>, fd: number, room: Claim): Promise<string> {
  const digest = createHash('sha256');
  let received = 0;
  for await (const chunk of chunks) {
    const written = writeAll(fd, chunk, received);
    digest.update(chunk);
    await written;
    room.wrote(chunk.length);
    received += chunk.length;
  }
  return digest.digest('hex');
}

const BATCH_BYTES = 1024 * 1024;

/** Files whose contents are stored back to back in one buffer. */
class Batch {
  readonly bytes = Buffer.allocUnsafeSlow(BATCH_BYTES);
  readonly uploads: AnnouncedUpload[] = [];
  end = 0;
}

/**
 * Stages the small files of one sender in batches: one batch is filled while the previous one is verified and written.
 * If it is full before that is done, reading pauses. Reports the staged files.
 */
export class StagingBatches {
  readonly #parts: StagingParts;
  #batch: Batch | null = null;
  #before: Promise<void> = Promise.resolve();

  constructor(parts: StagingParts) {
    this.#parts = parts;
  }

  /**
   * Returns the buffer for the content of the next file, at most `BATCH_BYTES`. Throws the error of an earlier file.
   */
  async roomFor(size: number): Promise<Buffer> {
    if (this.#batch && this.#batch.end + size > BATCH_BYTES) await this.#send(this.#batch);
    this.#batch ??= new Batch();
    const { bytes, end } = this.#batch;
    return bytes.subarray(end, end + size);
  }

  /** Adds the file whose content has been read. */
  add(upload: AnnouncedUpload): void {
    if (!this.#batch) return;
    this.#batch.uploads.push(upload);
    this.#batch.end += upload.size;
  }

  /** Resolves once all files are staged and reported. Throws the error of the first one that failed. */
  async finish(): Promise<void> {
    if (this.#batch) await this.#send(this.#batch);
    await this.#before;
  }

  async #send(batch: Batch): Promise<void> {
    this.#batch = null;
    await this.#before;
    this.#before = this.#stage(batch);
    // The next call throws its error.
    this.#before.catch(() => {});
  }

  async #stage({ bytes, uploads }: Batch): Promise<void> {
    let end = 0;
    const files = uploads.map(({ storeId, sha256, size }) => {
      const start = end;
      end += size;
      return { storeId, sha256, start, size };
    });
    const { intake, space, staging } = this.#parts;
    using _expected = await intake.reserve(uploads);
    using room = await space.claim(blocks(files));
    const { staged, failure } = await staging.stageSmall({ bytes, files });
    room.wrote(blocks(files.slice(0, staged.length)));
    const received = staged.flatMap((sha256, at) => {
      const upload = uploads[at];
      return upload ? [{ upload, stored: { sha256, size: upload.size } }] : [];
    });
    if (received.length > 0) await reportReceived(this.#parts, received);
    const upload = uploads[staged.length];
    if (failure && upload) throw failureOf(upload, failure);
  }
}

export interface StagingParts {
  staging: Staging;
  space: DiskSpace;
  intake: UploadIntake;
}

/**
 * Reports staged uploads. If libraries were purged in the meantime, discards their uploads and throws
 * `upload_not_found`.
 */
export async function reportReceived(
  { intake, staging }: Pick<StagingParts, 'intake' | 'staging'>,
  received: readonly ReceivedUpload[],
): Promise<void> {
  const gone = await intake.received(received);
  if (gone.size === 0) return;
  for (const { upload, stored } of received) {
    if (gone.has(upload.storeId)) await staging.discard(upload.storeId, stored.sha256);
  }
  throw libraryPurged();
}

function failureOf(upload: AnnouncedUpload, failure: NonNullable<StagedFiles['failure']>): Error {
  if ('received' in failure) return contentMismatch(upload, failure.received);
  return Object.assign(new Error(failure.message), failure.code === undefined ? {} : { code: failure.code });
}
