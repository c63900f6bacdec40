import {
  type PlyElement,
  type PlyHeader,
  type PlyProperty,
  SCALAR_BYTES,
  type ScalarType,
} from '@bindery/formats';
import { Unrenderable } from '../errors.ts';

/** The scalars of an element as columns by name, and its first list. */
export interface PlyTable {
  readonly count: number;
  readonly columns: ReadonlyMap<string, Float64Array | Float32Array>;
  /** Values of the lists, concatenated, and where the list of each row begins, followed by the end of the last. */
  readonly list: { readonly values: number[]; readonly starts: Uint32Array } | undefined;
}

/** What a reader needs of a file. */
export interface PlyReading {
  /** Called before memory for an element is allocated; throws to refuse it. */
  admit(element: PlyElement): void;
  /** Whether the reader needs a scalar property; all are read if this is omitted. */
  keep?(property: string): boolean;
}

/** Reads the elements in the order of the file. @throws Unrenderable when the file ends before its elements do. */
export function readPlyTables(
  bytes: Uint8Array,
  header: PlyHeader,
  reading: PlyReading,
): Map<string, PlyTable> {
  const source =
    header.format === 'ascii' ? new AsciiSource(bytes, header.bodyStart) : new BinarySource(bytes, header);
  const tables = new Map<string, PlyTable>();
  for (const element of header.elements) {
    if (element.count > bytes.byteLength) throw new Unrenderable(ENDS_EARLY);
    reading.admit(element);
    tables.set(element.name, readTable(element, source, reading));
  }
  return tables;
}

const ENDS_EARLY = 'the PLY file ends before its elements';

function readTable(element: PlyElement, source: AsciiSource | BinarySource, reading: PlyReading): PlyTable {
  const hasLists = element.properties.some((property) => property.countType !== undefined);
  if (source instanceof BinarySource && !hasLists) {
    return { count: element.count, columns: source.columns(element, reading), list: undefined };
  }
  return readRows(element, source);
}

type Column = Float32Array | Float64Array;

function columnFor(property: PlyProperty, count: number): Column {
  return property.type === 'float32' ? new Float32Array(count) : new Float64Array(count);
}

function readRows(element: PlyElement, source: AsciiSource | BinarySource): PlyTable {
  const columns = element.properties.map((property) =>
    property.countType === undefined ? columnFor(property, element.count) : undefined,
  );
  const firstList = element.properties.findIndex((property) => property.countType !== undefined);
  const starts = firstList < 0 ? undefined : new Uint32Array(element.count + 1);
  const values: number[] = [];
  for (let row = 0; row < element.count; row++) {
    for (const [k, property] of element.properties.entries()) {
      const column = columns[k];
      if (column !== undefined) column[row] = source.next(property.type);
      else readList(source, property, k === firstList ? values : undefined);
    }
    if (starts !== undefined) starts[row + 1] = values.length;
  }
  const named = element.properties.flatMap((property, k) => {
    const column = columns[k];
    return column === undefined ? [] : [[property.name, column] as const];
  });
  return { count: element.count, columns: new Map(named), list: starts && { values, starts } };
}

function readList(
  source: AsciiSource | BinarySource,
  property: PlyProperty,
  values: number[] | undefined,
): void {
  const length = source.next(property.countType ?? 'uint8');
  for (let i = 0; i < length; i++) {
    const value = source.next(property.type);
    values?.push(value);
  }
}

type Reader = (view: DataView, at: number, little: boolean) => number;

const READERS: Record<ScalarType, Reader> = {
  int8: (view, at) => view.getInt8(at),
  uint8: (view, at) => view.getUint8(at),
  int16: (view, at, little) => view.getInt16(at, little),
  uint16: (view, at, little) => view.getUint16(at, little),
  int32: (view, at, little) => view.getInt32(at, little),
  uint32: (view, at, little) => view.getUint32(at, little),
  float32: (view, at, little) => view.getFloat32(at, little),
  float64: (view, at, little) => view.getFloat64(at, little),
};

class BinarySource {
  readonly #view: DataView;
  readonly #little: boolean;
  #at: number;

  constructor(bytes: Uint8Array, header: PlyHeader) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#little = header.format === 'little';
    this.#at = header.bodyStart;
  }

  next(type: ScalarType): number {
    const start = this.#at;
    this.#at += SCALAR_BYTES[type];
    if (this.#at > this.#view.byteLength) throw new Unrenderable(ENDS_EARLY);
    return READERS[type](this.#view, start, this.#little);
  }

  /** The columns to keep of an element whose rows all have the same length. */
  columns(element: PlyElement, reading: PlyReading): Map<string, Column> {
    const stride = element.properties.reduce((sum, { type }) => sum + SCALAR_BYTES[type], 0);
    const start = this.#at;
    this.#at += stride * element.count;
    if (this.#at > this.#view.byteLength) throw new Unrenderable(ENDS_EARLY);
    const columns = new Map<string, Column>();
    let offset = start;
    for (const property of element.properties) {
      if (reading.keep?.(property.name) !== false) {
        const column = columnFor(property, element.count);
        const read = READERS[property.type];
        for (let row = 0; row < element.count; row++)
          column[row] = read(this.#view, offset + row * stride, this.#little);
        columns.set(property.name, column);
      }
      offset += SCALAR_BYTES[property.type];
    }
    return columns;
  }
}

class AsciiSource {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes;
    this.#at = start;
  }

  next(): number {
    const bytes = this.#bytes;
    while (this.#at < bytes.length && (bytes[this.#at] as number) <= 32) this.#at++;
    let word = '';
    while (this.#at < bytes.length && (bytes[this.#at] as number) > 32 && word.length < 64) {
      word += String.fromCharCode(bytes[this.#at++] as number);
    }
    if (word === '') throw new Unrenderable(ENDS_EARLY);
    return Number(word);
  }
}
