import { UnreadableFileError } from '../../files/unreadable.ts';
import { unpackIntegers, unpackLongIntegers } from './compression.ts';

/** The bytes of a file, of which only those that are needed are read. */
export interface ByteSource {
  readonly size: number;
  part(start: number, length: number): Uint8Array;
}

export function sourceOf(bytes: Uint8Array): ByteSource {
  return { size: bytes.length, part: (start, length) => bytes.subarray(start, start + length) };
}

const WINDOW_BYTES = 4096;
/** Lists with fewer numbers are never compressed. */
export const MIN_COMPRESSED = 16;
/** More compressed numbers are in no list that can be shown. */
const MAX_NUMBERS = 50_000_000;
/** How many numbers a byte of compressed data can stand for: LZ4 has up to 255 bytes in one, and four codes in each. */
const MAX_EXPANSION = 1020;

/** Reads numbers of a binary file one after another, never beyond its end. */
export class ByteCursor {
  readonly source: ByteSource;
  at: number;
  readonly #name: string;
  #window: DataView = new DataView(new ArrayBuffer(0));
  #start = 0;

  /** `name`: what the file is, for messages. */
  constructor(source: ByteSource, at: number, name: 'crate' | 'archive' = 'crate') {
    this.source = source;
    this.at = at;
    this.#name = name;
  }

  fail(what: string): never {
    throw new UnreadableFileError(`is a damaged ${this.#name}: ${what}`);
  }

  /** Moves over `length` bytes and returns where they begin in the window. */
  #need(length: number): number {
    const { at } = this;
    if (!(at >= 0 && at + length <= this.source.size)) this.fail('its values are not inside of it');
    if (at < this.#start || at + length > this.#start + this.#window.byteLength) {
      const bytes = this.source.part(at, Math.min(WINDOW_BYTES, this.source.size - at));
      if (bytes.length < length) this.fail('its values are not inside of it');
      this.#window = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      this.#start = at;
    }
    this.at += length;
    return at - this.#start;
  }

  byte(): number {
    const at = this.#need(1);
    return this.#window.getUint8(at);
  }

  uint16(): number {
    const at = this.#need(2);
    return this.#window.getUint16(at, true);
  }

  uint32(): number {
    const at = this.#need(4);
    return this.#window.getUint32(at, true);
  }

  int32(): number {
    const at = this.#need(4);
    return this.#window.getInt32(at, true);
  }

  /** Reads a number of 64 bits, of which those that a place in a file or a count can have are exact. */
  int64(): number {
    const at = this.#need(8);
    return Number(this.#window.getBigInt64(at, true));
  }

  bits64(): bigint {
    const at = this.#need(8);
    return this.#window.getBigUint64(at, true);
  }

  double(): number {
    const at = this.#need(8);
    return this.#window.getFloat64(at, true);
  }

  /** Reads the count of items that have `size` bytes each, which must all be in the file. */
  count(size: number, width: 4 | 8 = 8): number {
    const count = width === 4 ? this.uint32() : this.int64();
    if (count < 0 || count * size > this.source.size - this.at) this.fail('it has less than it says');
    return count;
  }

  bytes(length: number): Uint8Array {
    if (!(length >= 0 && this.at + length <= this.source.size)) this.fail('its values are not inside of it');
    const bytes = this.source.part(this.at, length);
    if (bytes.length < length) this.fail('its values are not inside of it');
    this.at += length;
    return bytes;
  }

  list<Item>(size: number, item: () => Item): Item[] {
    return Array.from({ length: this.count(size) }, item);
  }

  /** Reads the length of compressed numbers and these. */
  integers(count: number): Int32Array {
    return unpackIntegers(this.#packed(count), count);
  }

  longIntegers(count: number): Float64Array {
    return unpackLongIntegers(this.#packed(count), count);
  }

  #packed(count: number): Uint8Array {
    const length = this.count(1);
    if (count > MAX_NUMBERS || count > length * MAX_EXPANSION) this.fail('it has less than it says');
    return this.bytes(length);
  }
}
