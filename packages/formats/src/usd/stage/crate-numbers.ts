import { halfToNumber } from '../../files/bytes.ts';
import type { UsdValue } from './values.ts';

export type Scalar = 'bool' | 'uchar' | 'int' | 'uint' | 'int64' | 'uint64' | 'half' | 'float' | 'double';
export type Numbers = Float32Array | Float64Array | Int32Array;

/** Types that are made of numbers, by their number in the file, with how many of which. */
export const NUMBERS: Readonly<
  Record<number, readonly [Scalar, count: number, form?: 'matrix' | 'quaternion']>
> = {
  1: ['bool', 1],
  2: ['uchar', 1],
  3: ['int', 1],
  4: ['uint', 1],
  5: ['int64', 1],
  6: ['uint64', 1],
  7: ['half', 1],
  8: ['float', 1],
  9: ['double', 1],
  13: ['double', 4, 'matrix'],
  14: ['double', 9, 'matrix'],
  15: ['double', 16, 'matrix'],
  16: ['double', 4, 'quaternion'],
  17: ['float', 4, 'quaternion'],
  18: ['half', 4, 'quaternion'],
  19: ['double', 2],
  20: ['float', 2],
  21: ['half', 2],
  22: ['int', 2],
  23: ['double', 3],
  24: ['float', 3],
  25: ['half', 3],
  26: ['int', 3],
  27: ['double', 4],
  28: ['float', 4],
  29: ['half', 4],
  30: ['int', 4],
  56: ['double', 1],
};
export const BYTES: Readonly<Record<Scalar, number>> = {
  bool: 1,
  uchar: 1,
  int: 4,
  uint: 4,
  int64: 8,
  uint64: 8,
  half: 2,
  float: 4,
  double: 8,
};

export function inlined(scalar: Scalar, bits: DataView): UsdValue {
  switch (scalar) {
    case 'bool':
      return bits.getUint8(0) !== 0;
    case 'uchar':
      return bits.getUint8(0);
    case 'uint':
    case 'uint64':
      return bits.getUint32(0, true);
    case 'half':
      return halfAt(bits, 0);
    case 'float':
    case 'double':
      return bits.getFloat32(0, true);
    default:
      return bits.getInt32(0, true);
  }
}

export function plainNumbers(bytes: Uint8Array, scalar: Scalar, count: number): Numbers {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (scalar) {
    case 'bool':
    case 'uchar':
      return Int32Array.from(bytes);
    case 'int':
      return new Int32Array(new Uint8Array(bytes).buffer);
    case 'uint':
      return Float64Array.from({ length: count }, (_, at) => view.getUint32(4 * at, true));
    case 'int64':
      return Float64Array.from({ length: count }, (_, at) => Number(view.getBigInt64(8 * at, true)));
    case 'uint64':
      return Float64Array.from({ length: count }, (_, at) => Number(view.getBigUint64(8 * at, true)));
    case 'half': {
      const numbers = new Float32Array(count);
      for (let at = 0; at < count; at++) numbers[at] = halfAt(view, 2 * at);
      return numbers;
    }
    case 'float':
      return new Float32Array(new Uint8Array(bytes).buffer);
    case 'double':
      return new Float64Array(new Uint8Array(bytes).buffer);
  }
}

export function halfAt(view: DataView, at: number): number {
  return halfToNumber(view.getUint16(at, true));
}

/** Quaternions are stored with their real part last. */
export function realFirst<List extends Numbers>(numbers: List): List {
  for (let at = 0; at + 3 < numbers.length; at += 4) {
    const real = numbers[at + 3] as number;
    numbers.copyWithin(at + 1, at, at + 3);
    numbers[at] = real;
  }
  return numbers;
}
