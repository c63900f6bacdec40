import { ByteCursor, MIN_COMPRESSED } from './byte-cursor.ts';
import {
  BYTES,
  halfAt,
  inlined,
  NUMBERS,
  type Numbers,
  plainNumbers,
  realFirst,
  type Scalar,
} from './crate-numbers.ts';
import type { CrateTables } from './crate-tables.ts';
import {
  type Arc,
  BLOCKED,
  type Field,
  isValue,
  ListEdits,
  TimeSamples,
  type UsdAsset,
  type UsdValue,
} from './values.ts';

const MAX_NESTING = 64;
const TYPE_SHIFT = 48n;
const PAYLOAD = (1n << 48n) - 1n;
const IS_ARRAY = 1n << 63n;
const IS_INLINE = 1n << 62n;
const IS_COMPRESSED = 1n << 61n;
const IS_EDIT = 1n << 60n;

const WORDS: Readonly<Record<number, readonly string[]>> = {
  42: ['def', 'over', 'class'],
  43: ['public', 'private'],
  44: ['varying', 'uniform', 'config'],
};

/** Reads values of a crate. Those of types that nobody asks for (splines, edits of arrays) are `undefined`. */
export class CrateValues {
  readonly #tables: CrateTables;

  constructor(tables: CrateTables) {
    this.#tables = tables;
  }

  read(representation: bigint, depth = 0): Field | undefined {
    const type = Number((representation >> TYPE_SHIFT) & 0xffn);
    const payload = Number(representation & PAYLOAD);
    const isInline = (representation & IS_INLINE) !== 0n;
    if (depth > MAX_NESTING) this.#cursor(0).fail('its values are nested too deeply');
    if ((representation & IS_EDIT) !== 0n) return undefined;
    if ((representation & IS_ARRAY) !== 0n)
      return this.#array(type, isInline ? 0 : payload, (representation & IS_COMPRESSED) !== 0n);
    if (NUMBERS[type] !== undefined) return this.#number(type, payload, isInline);
    const word = WORDS[type];
    if (word !== undefined) return word[payload & 0xff];
    switch (type) {
      case 10:
        return this.#tables.string(isInline ? payload : this.#cursor(payload).uint32());
      case 11:
        return this.#tables.token(isInline ? payload : this.#cursor(payload).uint32());
      case 12:
        return this.#asset(
          isInline ? this.#tables.token(payload) : this.#tables.string(this.#cursor(payload).uint32()),
        );
      case 51:
      case 60:
        return BLOCKED;
    }
    return isInline
      ? type === 31
        ? Object.create(null)
        : undefined
      : this.#compound(type, this.#cursor(payload), depth);
  }

  #cursor(at: number): ByteCursor {
    return new ByteCursor(this.#tables.source, at);
  }

  #asset(asset: string): UsdAsset {
    return { asset, layer: this.#tables.path };
  }

  #compound(type: number, cursor: ByteCursor, depth: number): Field | undefined {
    const { token, string, pathOf } = this.#tables;
    const tokens = () => token(cursor.uint32());
    const strings = () => string(cursor.uint32());
    const paths = () => pathOf(cursor.uint32());
    switch (type) {
      case 31:
        return this.#dictionary(cursor, depth);
      case 32:
        return this.#edits(cursor, 4, tokens);
      case 33:
        return this.#edits(cursor, 4, strings);
      case 34:
        return this.#edits(cursor, 4, paths);
      case 35:
        return this.#edits(cursor, 28, () => {
          const arc = this.#arc(cursor, true);
          this.#dictionary(cursor, depth);
          return arc;
        });
      case 36:
      case 38:
        return this.#edits(cursor, 4, () => cursor.int32());
      case 37:
      case 39:
        return this.#edits(cursor, 8, () => cursor.int64());
      case 40:
        return cursor.list(4, paths);
      case 41:
        return cursor.list(4, tokens);
      case 45:
        return Object.assign(
          Object.create(null),
          Object.fromEntries(cursor.list(8, () => [strings(), strings()])),
        );
      case 46:
        return this.#samples(cursor, depth);
      case 47:
        return new ListEdits([this.#arc(cursor, this.#tables.isAtLeast(8))]);
      case 48:
        return cursor.list(8, () => cursor.double());
      case 49:
        return cursor.list(16, () => [cursor.double(), cursor.double()]).flat();
      case 50:
        return cursor.list(4, strings);
      case 52:
      case 53:
        return this.#nested(cursor, depth);
      case 55:
        return this.#edits(cursor, 8, () => this.#arc(cursor, this.#tables.isAtLeast(8)));
      case 57:
        return strings();
      default:
        return undefined;
    }
  }

  /** Reads a value that is said to be somewhere after this place, and goes on behind what says so. */
  #nested(cursor: ByteCursor, depth: number): Field | undefined {
    const start = cursor.at;
    cursor.at = start + cursor.int64();
    return this.read(cursor.bits64(), depth + 1);
  }

  #dictionary(cursor: ByteCursor, depth: number): { readonly [key: string]: UsdValue } {
    const dictionary: Record<string, UsdValue> = Object.create(null);
    for (let left = cursor.count(12); left > 0; left--) {
      const key = this.#tables.string(cursor.uint32());
      const value = this.#nested(cursor, depth);
      if (isValue(value)) dictionary[key] = value;
    }
    return dictionary;
  }

  #arc(cursor: ByteCursor, hasTimes: boolean): Arc {
    const asset = this.#tables.string(cursor.uint32());
    const prim = this.#tables.pathOf(cursor.uint32());
    return hasTimes
      ? { asset, prim, offset: cursor.double(), scale: cursor.double() }
      : { asset, prim, offset: 0, scale: 1 };
  }

  #edits<Item>(cursor: ByteCursor, size: number, item: () => Item): ListEdits<Item> {
    const bits = cursor.byte();
    const list = (bit: number) => (bits & bit ? cursor.list(size, item) : []);
    const explicit = list(2);
    const edits = new ListEdits(bits & 1 ? explicit : undefined);
    edits.added = list(4);
    edits.prepended = list(32);
    edits.appended = list(64);
    edits.deleted = list(8);
    edits.ordered = list(16);
    return edits;
  }

  #samples(cursor: ByteCursor, depth: number): TimeSamples | undefined {
    const times = this.#nested(cursor, depth);
    const start = cursor.at;
    cursor.at = start + cursor.int64();
    const count = cursor.count(8);
    const values = cursor.at;
    const isList = Array.isArray(times) || times instanceof Float64Array;
    if (!isList || times.length !== count) return undefined;
    return new TimeSamples([...(times as number[])], (index) => {
      const value = this.read(this.#cursor(values + 8 * index).bits64(), depth + 1);
      return isValue(value) ? value : BLOCKED;
    });
  }

  #number(type: number, payload: number, isInline: boolean): UsdValue {
    const [scalar, count, form] = NUMBERS[type] as (typeof NUMBERS)[number];
    if (!isInline) {
      const numbers = this.#numbers(this.#cursor(payload), scalar, count, false);
      const [first = 0] = numbers;
      if (count === 1) return scalar === 'bool' ? first !== 0 : first;
      return [...(form === 'quaternion' ? realFirst(numbers) : numbers)];
    }
    const bits = new DataView(new ArrayBuffer(4));
    bits.setUint32(0, payload % 2 ** 32, true);
    if (count === 1) return inlined(scalar, bits);
    // Two halves fit as they are; other vectors, and the diagonals of matrices, are whole numbers of a byte each.
    if (type === 21) return [halfAt(bits, 0), halfAt(bits, 2)];
    if (form !== 'matrix') return Array.from({ length: count }, (_, at) => bits.getInt8(at));
    const rows = Math.sqrt(count);
    return Array.from({ length: count }, (_, at) =>
      at % (rows + 1) === 0 ? bits.getInt8(at / (rows + 1)) : 0,
    );
  }

  #array(type: number, at: number, isCompressed: boolean): UsdValue | undefined {
    const isNumbers = NUMBERS[type];
    if (isNumbers === undefined && type !== 10 && type !== 11 && type !== 12) return undefined;
    const cursor = this.#cursor(at);
    const size = isNumbers === undefined ? 4 : isCompressed ? 0 : BYTES[isNumbers[0]] * isNumbers[1];
    const count = at === 0 ? 0 : this.#count(cursor, size);
    if (isNumbers !== undefined) {
      const [scalar, each, form] = isNumbers;
      const numbers = this.#numbers(cursor, scalar, count * each, isCompressed && count >= MIN_COMPRESSED);
      return form === 'quaternion' ? realFirst(numbers) : numbers;
    }
    const { token, string } = this.#tables;
    const items = Array.from({ length: count }, () => cursor.uint32());
    if (type === 11) return items.map(token);
    return type === 10 ? items.map(string) : items.map((item) => this.#asset(string(item)));
  }

  #count(cursor: ByteCursor, size: number): number {
    // Arrays once had a number of dimensions, always one.
    if (!this.#tables.isAtLeast(5)) cursor.uint32();
    return cursor.count(size, this.#tables.isAtLeast(7) ? 8 : 4);
  }

  #numbers(cursor: ByteCursor, scalar: Scalar, count: number, isCompressed: boolean): Numbers {
    if (!isCompressed) return plainNumbers(cursor.bytes(count * BYTES[scalar]), scalar, count);
    switch (scalar) {
      case 'int':
        return cursor.integers(count);
      case 'uint':
        return Float64Array.from(cursor.integers(count), (value) => value >>> 0);
      case 'int64':
      case 'uint64':
        return cursor.longIntegers(count);
      case 'half':
      case 'float':
      case 'double':
        return this.#reals(cursor, scalar, count);
      default:
        return cursor.fail('it has values of an unknown form');
    }
  }

  /** Reads real numbers that are whole, or few different ones. */
  #reals(cursor: ByteCursor, scalar: 'half' | 'float' | 'double', count: number): Numbers {
    const Kind = scalar === 'double' ? Float64Array : Float32Array;
    const form = String.fromCharCode(cursor.byte());
    if (form === 'i') return Kind.from(cursor.integers(count));
    if (form !== 't') cursor.fail('it has values of an unknown form');
    const size = cursor.count(BYTES[scalar], 4);
    const table = plainNumbers(cursor.bytes(size * BYTES[scalar]), scalar, size);
    const indexes = cursor.integers(count);
    const numbers = new Kind(count);
    for (let at = 0; at < count; at++) numbers[at] = table[indexes[at] as number] ?? Number.NaN;
    return numbers;
  }
}
