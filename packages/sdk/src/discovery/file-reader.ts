import { type BoundedFile, UnreadableFileError } from '@bindery/formats';

/** A file of a folder as discovery sees it. `path` is relative to the folder, separated by `/`. */
export interface ListedFile {
  readonly path: string;
  readonly size: number;
}

/** How long reading one file may take. */
export const MAX_READ_SECONDS = 20;
/** Why a file that takes longer is not known. */
export const SLOW_WORDS = `takes longer than ${MAX_READ_SECONDS} s to read`;

/** Reads part of a file, or less if the file ends: in Node from disk, in a web worker with `FileReaderSync`. */
export interface ReadPart {
  (path: string, start: number, length: number): Uint8Array;
  /** Does something that takes as long as the author of a file wants. Throws `UnreadableFileError` if that is too long. */
  during?: DuringRead | undefined;
}

export type DuringRead = <Result>(path: string, work: () => Result) => Result;

/** Bounded reads of a file under examination. `read` counts them against the limit of all files. */
export class BoundedFileReader implements BoundedFile {
  readonly path: string;
  readonly size: number;
  readonly #read: ReadPart;
  /** The longest head read so far: most files are read once and whole. */
  #cachedHead: Uint8Array = new Uint8Array();

  constructor({ path, size }: ListedFile, read: ReadPart) {
    this.path = path;
    this.size = size;
    this.#read = read;
  }

  head(bytes: number): Uint8Array {
    const length = Math.min(bytes, this.size);
    if (this.#cachedHead.byteLength < length) this.#cachedHead = this.part(0, length);
    return this.#cachedHead.subarray(0, length);
  }

  part(start: number, length: number): Uint8Array {
    const bounded = Math.max(0, Math.min(length, this.size - start));
    return bounded === 0 ? new Uint8Array() : this.#read(this.path, start, bounded);
  }

  /** See `ReadPart.during`. */
  during<Result>(work: () => Result): Result {
    const { during } = this.#read;
    return during === undefined ? work() : during(this.path, work);
  }

  whole(max: number): Uint8Array {
    if (this.size > max)
      throw new UnreadableFileError(`larger than ${max / MIB} MiB, so it was not examined`);
    return this.head(this.size);
  }
}

const MIB = 1024 * 1024;
