import { BUNDLE } from '@bindery/contract/wire';
import type { WantedFile } from './wanted.ts';

/** An answer that is no bundle of what was asked for. */
class BrokenBundle extends Error {
  override readonly name = 'BrokenBundle';
}

/**
 * Cuts the answer to a request for a bundle into files, however its bytes are divided. `onFile` gets each content with
 * the length that is wanted, unverified, and only for the time of the call. Throws `BrokenBundle` for any other length
 * and for what comes after the last frame, so that it never holds more than one wanted file.
 */
export class BundleReader {
  readonly #files: readonly WantedFile[];
  readonly #onFile: (file: WantedFile, content: Buffer) => void;
  readonly #head = Buffer.alloc(BUNDLE.headBytes);
  #headFilled = 0;
  #content: Buffer | null = null;
  #contentFilled = 0;
  #at = 0;

  constructor(files: readonly WantedFile[], onFile: (file: WantedFile, content: Buffer) => void) {
    this.#files = files;
    this.#onFile = onFile;
  }

  read(bytes: Buffer): void {
    for (let rest = bytes; rest.length > 0; ) {
      rest = rest.subarray(
        this.#headFilled < BUNDLE.headBytes ? this.#readHead(rest) : this.#readContent(rest),
      );
    }
  }

  #readHead(bytes: Buffer): number {
    const file = this.#files[this.#at];
    if (file === undefined) throw new BrokenBundle('more came than was asked for');
    const taken = bytes.copy(this.#head, this.#headFilled);
    this.#headFilled += taken;
    if (this.#headFilled < BUNDLE.headBytes) return taken;
    const status = this.#head.readUInt32BE(0);
    const length = this.#head.readUInt32BE(4);
    if (length !== (status === 200 ? file.size : 0)) throw new BrokenBundle('a file has another length');
    if (status !== 200) this.#next();
    else if (length === 0) this.#finish(file, Buffer.alloc(0));
    return taken;
  }

  #readContent(bytes: Buffer): number {
    const file = this.#files[this.#at];
    if (file === undefined) throw new BrokenBundle('more came than was asked for');
    if (this.#content === null && bytes.length >= file.size) {
      this.#finish(file, bytes.subarray(0, file.size));
      return file.size;
    }
    this.#content ??= Buffer.allocUnsafe(file.size);
    const taken = bytes.copy(this.#content, this.#contentFilled);
    this.#contentFilled += taken;
    if (this.#contentFilled === file.size) this.#finish(file, this.#content);
    return taken;
  }

  #finish(file: WantedFile, content: Buffer): void {
    this.#next();
    this.#onFile(file, content);
  }

  #next(): void {
    this.#at++;
    this.#headFilled = 0;
    this.#content = null;
    this.#contentFilled = 0;
  }
}
