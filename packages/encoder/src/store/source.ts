import type { FileHandle } from 'node:fs/promises';
import type { ModelDescription, ModelFile } from '../description.ts';

/** Where the files of a model come from. */
export interface ModelSource {
  /** What the model is. Throws `EncoderError` where it is not there or not described. */
  describe(id: string): Promise<ModelDescription>;
  /**
   * Appends the file's bytes to `part`, which holds its first `offset` bytes already; a source that can only begin
   * anew empties it first. `arrived` is told of every byte. Throws where the bytes end early.
   */
  copy(file: ModelFile, part: FileHandle, offset: number, arrived: (bytes: number) => void): Promise<void>;
}

/** Something that may pass: the copy goes on where it stopped. */
export class SourceInterrupted extends Error {
  /** Milliseconds that the other side asks to wait; null where it does not say. */
  readonly after: number | null;

  constructor(message: string, options: { cause?: unknown; after?: number | null } = {}) {
    super(message, { cause: options.cause });
    this.after = options.after ?? null;
  }
}
