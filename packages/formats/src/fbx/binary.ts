import { viewOf } from '../files/bytes.ts';
import { UnreadableFileError } from '../files/unreadable.ts';
import type { FbxArray, FbxFile, FbxRecord, FbxValue, Inflate } from './record.ts';

/** Reads parts of a file, or less where it ends. */
export interface ByteSource {
  readonly size: number;
  part(start: number, length: number): Uint8Array;
}

const MAGIC = 'Kaydara FBX Binary';
export const FBX_HEAD = 27;
const BYTE_ORDER_AT = 22;
/** Since this version offsets have 64 bits. */
const WIDE_SINCE = 7500;
/** Records lie next to each other; what is between those that are read can be large. */
const WINDOW = 64 * 1024;

export function isBinaryFbx(head: Uint8Array): boolean {
  return [...MAGIC].every((character, at) => head[at] === character.charCodeAt(0));
}

/**
 * Reads a binary FBX file. Only what is asked for is read: the head of a record tells where it ends. `admit` is called
 * for each record with its depth, and may throw.
 */
export function readBinaryFbx(source: ByteSource, admit: (depth: number) => void): FbxFile {
  const head = source.part(0, FBX_HEAD);
  if (head.byteLength < FBX_HEAD) throw cutOff();
  const reader = new BinaryReader(source, head[BYTE_ORDER_AT] === 0, admit);
  const version = viewOf(head).getUint32(FBX_HEAD - 4, reader.isLittle);
  reader.isWide = version >= WIDE_SINCE;
  return { version, records: reader.records(FBX_HEAD, source.size, 1) };
}

class BinaryReader {
  readonly isLittle: boolean;
  isWide = false;
  readonly #source: ByteSource;
  readonly #admit: (depth: number) => void;
  #window: Uint8Array = new Uint8Array();
  #windowStart = 0;

  constructor(source: ByteSource, isLittle: boolean, admit: (depth: number) => void) {
    this.#source = source;
    this.isLittle = isLittle;
    this.#admit = admit;
  }

  /** The records from `start`, up to an empty one or `end`. */
  records(start: number, end: number, depth: number): FbxRecord[] {
    const records: FbxRecord[] = [];
    const headBytes = this.isWide ? 25 : 13;
    for (let at = start; at + headBytes <= end; ) {
      const view = viewOf(this.bytes(at, headBytes));
      const recordEnd = this.#offset(view, 0);
      if (recordEnd === 0) break;
      const nameLength = view.getUint8(headBytes - 1);
      const valuesStart = at + headBytes + nameLength;
      const valuesEnd = valuesStart + this.#offset(view, 2);
      if (recordEnd > end || valuesEnd > recordEnd) throw cutOff();
      this.#admit(depth);
      const name = LATIN.decode(this.bytes(at + headBytes, nameLength));
      const count = this.#offset(view, 1);
      records.push(new BinaryRecord(this, name, { count, valuesStart, valuesEnd, recordEnd, depth }));
      at = recordEnd;
    }
    return records;
  }

  bytes(start: number, length: number): Uint8Array {
    const from = start - this.#windowStart;
    if (from >= 0 && from + length <= this.#window.byteLength)
      return this.#window.subarray(from, from + length);
    if (length > WINDOW) return this.#whole(this.#source.part(start, length), length);
    this.#window = this.#source.part(start, WINDOW);
    this.#windowStart = start;
    return this.#whole(this.#window.subarray(0, length), length);
  }

  #whole(bytes: Uint8Array, length: number): Uint8Array {
    if (bytes.byteLength < length) throw cutOff();
    return bytes;
  }

  #offset(view: DataView, field: number): number {
    return this.isWide
      ? Number(view.getBigUint64(field * 8, this.isLittle))
      : view.getUint32(field * 4, this.isLittle);
  }
}

interface Extent {
  readonly count: number;
  readonly valuesStart: number;
  readonly valuesEnd: number;
  readonly recordEnd: number;
  readonly depth: number;
}

class BinaryRecord implements FbxRecord {
  readonly name: string;
  readonly #reader: BinaryReader;
  readonly #extent: Extent;
  #values: FbxValue[] | undefined;
  #children: FbxRecord[] | undefined;

  constructor(reader: BinaryReader, name: string, extent: Extent) {
    this.#reader = reader;
    this.name = name;
    this.#extent = extent;
  }

  get values(): readonly FbxValue[] {
    this.#values ??= readValues(this.#reader, this.#extent);
    return this.#values;
  }

  get children(): readonly FbxRecord[] {
    const { valuesEnd, recordEnd, depth } = this.#extent;
    this.#children ??= this.#reader.records(valuesEnd, recordEnd, depth + 1);
    return this.#children;
  }
}

/** Bytes of the single values, and of each number in an array, by the letter of their type. */
const SINGLE: Readonly<Record<string, number>> = { B: 1, C: 1, Z: 1, Y: 2, I: 4, F: 4, D: 8, L: 8 };
const ELEMENT: Readonly<Record<string, number>> = { b: 1, c: 1, i: 4, f: 4, d: 8, l: 8 };
const ARRAY_HEAD = 12;

function readValues(reader: BinaryReader, { count, valuesStart, valuesEnd }: Extent): FbxValue[] {
  const values: FbxValue[] = [];
  let at = valuesStart;
  /** Takes the place of the next bytes. */
  const take = (length: number): number => {
    const start = at;
    at += length;
    if (at > valuesEnd) throw cutOff();
    return start;
  };
  const view = (length: number) => viewOf(reader.bytes(take(length), length));
  while (values.length < count) {
    const type = String.fromCharCode(view(1).getUint8(0));
    const single = SINGLE[type];
    if (single !== undefined) values.push(scalar(view(single), type, 0, reader.isLittle));
    else if (type === 'S' || type === 'R') {
      const length = view(4).getUint32(0, reader.isLittle);
      const start = take(length);
      const read = () => reader.bytes(start, length);
      values.push(type === 'S' ? UTF8.decode(read()) : { byteLength: length, read });
    } else if (ELEMENT[type] !== undefined) {
      const head = view(ARRAY_HEAD);
      const [length, encoding, deflated] = [0, 4, 8].map((field) =>
        head.getUint32(field, reader.isLittle),
      ) as [number, number, number];
      const bytes = encoding === 1 ? deflated : length * (ELEMENT[type] ?? 0);
      const start = take(bytes);
      const stored = () => reader.bytes(start, bytes);
      values.push(
        packedNumbers({ type, length, isDeflated: encoding === 1, isLittle: reader.isLittle, stored }),
      );
    } else throw new UnreadableFileError('has values of an unknown type');
  }
  return values;
}

interface Packed {
  readonly type: string;
  readonly length: number;
  readonly isDeflated: boolean;
  readonly isLittle: boolean;
  stored(): Uint8Array;
}

function packedNumbers({ type, length, isDeflated, isLittle, stored }: Packed): FbxArray {
  const numbers = (inflate: Inflate): Float64Array => {
    const size = ELEMENT[type] ?? 1;
    const plain = isDeflated ? inflated(stored(), length * size, inflate) : stored();
    const view = viewOf(plain);
    if (isLittle) {
      // Slices of what Node inflates would share its memory.
      const own = new Uint8Array(plain.subarray(0, length * size)).buffer;
      if (type === 'd') return new Float64Array(own);
      if (type === 'f') return new Float64Array(new Float32Array(own));
      if (type === 'i') return new Float64Array(new Int32Array(own));
    }
    const out = new Float64Array(length);
    for (let k = 0; k < out.length; k++)
      out[k] = Number(scalar(view, type.toUpperCase(), k * size, isLittle));
    return out;
  };
  return { length, numbers };
}

/** A byte of deflated data becomes at most as many. */
const MAX_INFLATED = 1032;

function inflated(stored: Uint8Array, bytes: number, inflate: Inflate): Uint8Array {
  if (bytes > stored.byteLength * MAX_INFLATED) throw cutOff();
  let plain: Uint8Array;
  try {
    plain = inflate(stored, bytes);
  } catch {
    throw new UnreadableFileError('has numbers that cannot be decompressed');
  }
  if (plain.byteLength < bytes) throw cutOff();
  return plain;
}

function scalar(view: DataView, type: string, at: number, isLittle: boolean): number | bigint {
  switch (type) {
    case 'Y':
      return view.getInt16(at, isLittle);
    case 'I':
      return view.getInt32(at, isLittle);
    case 'F':
      return view.getFloat32(at, isLittle);
    case 'D':
      return view.getFloat64(at, isLittle);
    case 'L':
      return view.getBigInt64(at, isLittle);
    default:
      return view.getUint8(at);
  }
}

const LATIN = new TextDecoder('latin1');
const UTF8 = new TextDecoder();

function cutOff(): UnreadableFileError {
  return new UnreadableFileError('is cut off or damaged');
}
