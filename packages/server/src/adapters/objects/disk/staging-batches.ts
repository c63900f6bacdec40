import { libraryPurged } from '../../../errors.ts';
import type { AnnouncedUpload, ReceivedUpload, UploadIntake } from '../../../objects/store.ts';
import { blocks, type DiskSpace } from './disk-space.ts';
import { contentMismatch } from './receive-body.ts';
import type { Staging } from './staging.ts';
import type { StagedFiles } from './worker/stage-files.ts';

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
