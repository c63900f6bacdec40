/** Undoes zlib's compression; the result has at most `bytes` bytes. Throws if that is not possible. */
export type Inflate = (deflated: Uint8Array, bytes: number) => Uint8Array;

/** A list of numbers, decoded when it is asked for. */
export interface FbxArray {
  /** The most numbers that it can have. */
  readonly length: number;
  /** Throws `UnreadableFileError`. */
  numbers(inflate: Inflate): Float64Array;
}

/** Bytes of another file, such as a picture. */
export interface FbxBytes {
  readonly byteLength: number;
  read(): Uint8Array;
}

export type FbxValue = number | bigint | string | FbxArray | FbxBytes;

/** A record of an FBX file: FBX is a tree of them. Reading values and children may throw `UnreadableFileError`. */
export interface FbxRecord {
  readonly name: string;
  readonly values: readonly FbxValue[];
  readonly children: readonly FbxRecord[];
}

/** The records of a whole file. */
export interface FbxFile {
  /** 7400 is version 7.4. */
  readonly version: number;
  readonly records: readonly FbxRecord[];
}

export function recordNamed(
  records: readonly FbxRecord[] | undefined,
  ...names: readonly string[]
): FbxRecord | undefined {
  return records?.find(({ name }) => names.includes(name));
}

export function isFbxArray(value: FbxValue | undefined): value is FbxArray {
  return typeof value === 'object' && 'numbers' in value;
}

/** The text at a place among the values of a record; empty if there is none. */
export function textAt(record: FbxRecord | undefined, at = 0): string {
  const value = record?.values[at];
  return typeof value === 'string' ? value : '';
}

/** The numbers of a record: a list, or since 7.0 one array. Throws `UnreadableFileError`. */
export function numbersIn(record: FbxRecord | undefined, inflate: Inflate): Float64Array {
  const [first] = record?.values ?? [];
  if (isFbxArray(first)) return first.numbers(inflate);
  return Float64Array.from(record?.values ?? [], numberOf);
}

export function numberOf(value: FbxValue | undefined): number {
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : Number.NaN;
}
