import type { FileHandle } from 'node:fs/promises';
import type { ModelDescription, ModelFile } from '../description.ts';

/** Where the files of a model come from. */
export interface ModelSource {
  /** Returns the description of the model. Throws `EncoderError` if the source lacks the model or its description. */
  describe(id: string): Promise<ModelDescription>;
  /**
   * Appends the file's bytes to `part`, which already holds the first `offset` bytes; a source that cannot resume
   * empties it first. Every byte is reported to `onBytes`. Throws if the bytes end early.
   */
  copy(file: ModelFile, part: FileHandle, offset: number, onBytes: (bytes: number) => void): Promise<void>;
}

/** A temporary failure: a retry resumes the copy where it stopped. */
export class SourceInterrupted extends Error {
  /** Milliseconds that the other side asks to wait; null if it does not say. */
  readonly after: number | null;

  constructor(message: string, options: { cause?: unknown; after?: number | null } = {}) {
    super(message, { cause: options.cause });
    this.after = options.after ?? null;
  }
}

/** Writes all bytes at a position in a file. A disk that fills up may accept some of them before reporting an error. */
export async function writeAt(file: FileHandle, bytes: Uint8Array, place: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, place + done);
    done += bytesWritten;
  }
}
