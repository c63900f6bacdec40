import { UnreadableFileError } from '../../files/unreadable.ts';

const DAMAGED = 'is a damaged crate: compressed data does not unpack';

/** Unpacks what a crate has compressed: blocks of LZ4, `size` bytes or less when unpacked. */
export function unpack(packed: Uint8Array, size: number): Uint8Array {
  const into = new Uint8Array(size);
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const count = packed[0] ?? 0;
  if (count === 0) return into.subarray(0, unpackBlock(packed.subarray(1), into, 0));
  let at = 1;
  let end = 0;
  for (let block = 0; block < count; block++) {
    if (at + 4 > packed.length) throw new UnreadableFileError(DAMAGED);
    const length = view.getInt32(at, true);
    at += 4;
    if (length < 0 || at + length > packed.length) throw new UnreadableFileError(DAMAGED);
    end = unpackBlock(packed.subarray(at, at + length), into, end);
    at += length;
  }
  return into.subarray(0, end);
}

/** Unpacks a block of LZ4 behind what is already in `into`; returns where it ends. */
function unpackBlock(packed: Uint8Array, into: Uint8Array, start: number): number {
  let at = 0;
  let end = start;
  const lengthOf = (nibble: number): number => {
    let length = nibble;
    if (nibble === 15) {
      let byte = 255;
      while (byte === 255 && at < packed.length) {
        byte = packed[at++] as number;
        length += byte;
      }
    }
    return length;
  };
  while (at < packed.length) {
    const token = packed[at++] as number;
    const literals = lengthOf(token >> 4);
    if (at + literals > packed.length || end + literals > into.length) throw new UnreadableFileError(DAMAGED);
    into.set(packed.subarray(at, at + literals), end);
    at += literals;
    end += literals;
    if (at >= packed.length) break;
    const distance = (packed[at] as number) | ((packed[at + 1] ?? 0) << 8);
    at += 2;
    const length = lengthOf(token & 15) + 4;
    if (distance === 0 || distance > end - start || end + length > into.length)
      throw new UnreadableFileError(DAMAGED);
    if (distance >= length) into.copyWithin(end, end - distance, end - distance + length);
    else for (let step = 0; step < length; step++) into[end + step] = into[end + step - distance] as number;
    end += length;
  }
  return end;
}

/** How many bytes a list of whole numbers has at most before LZ4. */
function codedSize(count: number, width: 4 | 8): number {
  return width + Math.ceil(count / 4) + count * width;
}

/**
 * Unpacks whole numbers: each is the difference from the one before, in two bits that say whether it is the most common
 * difference or how many bytes it has.
 */
export function unpackIntegers(packed: Uint8Array, count: number): Int32Array {
  const into = new Int32Array(count);
  if (count === 0) return into;
  const { bytes, view, common } = coded(packed, count, 4);
  let at = 4 + Math.ceil(count / 4);
  let value = 0;
  for (let index = 0; index < count; index++) {
    const code = ((bytes[4 + (index >> 2)] as number) >> ((index & 3) * 2)) & 3;
    if (code === 0) value += common;
    else {
      if (at + (code === 3 ? 4 : code) > bytes.length) throw new UnreadableFileError(DAMAGED);
      value += code === 1 ? view.getInt8(at) : code === 2 ? view.getInt16(at, true) : view.getInt32(at, true);
      at += code === 3 ? 4 : code;
    }
    value |= 0;
    into[index] = value;
  }
  return into;
}

/** As `unpackIntegers`, for numbers of 64 bits. */
export function unpackLongIntegers(packed: Uint8Array, count: number): Float64Array {
  const into = new Float64Array(count);
  if (count === 0) return into;
  const { bytes, view } = coded(packed, count, 8);
  const common = view.getBigInt64(0, true);
  let at = 8 + Math.ceil(count / 4);
  let value = 0n;
  for (let index = 0; index < count; index++) {
    const code = ((bytes[8 + (index >> 2)] as number) >> ((index & 3) * 2)) & 3;
    if (code === 0) value += common;
    else {
      const size = 2 ** code;
      if (at + size > bytes.length) throw new UnreadableFileError(DAMAGED);
      if (code === 3) value += view.getBigInt64(at, true);
      else value += BigInt(code === 1 ? view.getInt16(at, true) : view.getInt32(at, true));
      at += size;
    }
    into[index] = Number(BigInt.asIntN(64, value));
  }
  return into;
}

function coded(packed: Uint8Array, count: number, width: 4 | 8) {
  const bytes = unpack(packed, codedSize(count, width));
  if (bytes.length < width + Math.ceil(count / 4)) throw new UnreadableFileError(DAMAGED);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { bytes, view, common: view.getInt32(0, true) };
}
