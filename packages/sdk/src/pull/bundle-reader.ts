import { BUNDLE } from '@bindery/contract/wire';
import type { ContentBuffer } from './content-buffers.ts';
import type { ArrivedContent } from './placement.ts';
import type { TargetFile } from './select-files.ts';

/** Thrown for a response that is not a bundle of the requested files. */
class MalformedBundleError extends Error {
  override readonly name = 'MalformedBundleError';
}

/**
 * Splits the response to a bundle request into contents, however its bytes are chunked, and writes them into a memory
 * that has room for all of them. Throws `MalformedBundleError` if a length is not the expected one or if anything
 * follows the last frame, so that it never stores more than expected.
 */
export class BundleReader {
  /** The contents that have arrived completely, unverified. */
  readonly arrived: ArrivedContent[] = [];
  readonly #files: readonly TargetFile[];
  readonly #memory: ContentBuffer;
  readonly #head = Buffer.alloc(BUNDLE.headBytes);
  #headFilled = 0;
  /** Index of the current file. */
  #at = 0;
  /** Offset in the memory at which the next bytes are stored. */
  #filled = 0;
  /** Bytes of the current content that are still to come. */
  #left = 0;

  constructor(files: readonly TargetFile[], memory: ContentBuffer) {
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    if (bytes > memory.length) throw new RangeError('the files of a bundle are larger than its memory');
    this.#files = files;
    this.#memory = memory;
  }

  read(bytes: Buffer): void {
    for (let rest = bytes; rest.length > 0; ) {
      rest = rest.subarray(this.#left === 0 ? this.#readHead(rest) : this.#readContent(rest));
    }
  }

  #readHead(bytes: Buffer): number {
    const file = this.#files[this.#at];
    if (file === undefined) throw new MalformedBundleError('more was sent than requested');
    const taken = bytes.copy(this.#head, this.#headFilled);
    this.#headFilled += taken;
    if (this.#headFilled < BUNDLE.headBytes) return taken;
    this.#headFilled = 0;
    const status = this.#head.readUInt32BE(0);
    const length = this.#head.readUInt32BE(4);
    if (length !== (status === 200 ? file.size : 0))
      throw new MalformedBundleError('a file has an unexpected length');
    if (status !== 200) this.#at++;
    else if (length === 0) this.#finish(file);
    else this.#left = length;
    return taken;
  }

  #readContent(bytes: Buffer): number {
    const taken = bytes.copy(this.#memory, this.#filled, 0, this.#left);
    this.#filled += taken;
    this.#left -= taken;
    const file = this.#files[this.#at];
    if (this.#left === 0 && file !== undefined) this.#finish(file);
    return taken;
  }

  #finish(file: TargetFile): void {
    this.arrived.push({ file, at: this.#filled - file.size });
    this.#at++;
  }
}
