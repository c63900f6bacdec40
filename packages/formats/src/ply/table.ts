import { Unrenderable } from '../reading/errors.ts';
import {
  type PlyElement,
  type PlyHeader,
  type PlyProperty,
  SCALAR_BYTES,
  type ScalarType,
} from './header.ts';

/** The scalars and the lists of an element, by name. */
export interface PlyTable {
  readonly count: number;
  readonly columns: ReadonlyMap<string, Float64Array | Float32Array>;
  readonly lists: ReadonlyMap<string, PlyList>;
}

/** Values of lists, concatenated, and where that of each row begins, followed by the end of the last. */
interface PlyList {
  readonly values: number[];
  readonly starts: Uint32Array;
}

/** What a reader needs of a file. */
interface PlyReading {
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

const ENDS_EARLY = 'the file ends before its elements';

function readTable(element: PlyElement, source: AsciiSource | BinarySource, reading: PlyReading): PlyTable {
  const hasLists = element.properties.some((property) => property.countType !== undefined);
  if (source instanceof BinarySource && !hasLists) {
    return { count: element.count, columns: source.columns(element, reading), lists: new Map() };
  }
  return readRows(element, source);
}

type Column = Float32Array | Float64Array;

function columnFor(property: PlyProperty, count: number): Column {
  return property.type === 'float32' ? new Float32Array(count) : new Float64Array(count);
}

function readRows(element: PlyElement, source: AsciiSource | BinarySource): PlyTable {
  const columns = new Map<string, Column>();
  const lists = new Map<string, PlyList>();
  for (const property of element.properties) {
    if (property.countType === undefined) columns.set(property.name, columnFor(property, element.count));
    else lists.set(property.name, { values: [], starts: new Uint32Array(element.count + 1) });
  }
  for (let row = 0; row < element.count; row++) {
    for (const { name, type, countType } of element.properties) {
      const list = lists.get(name);
      if (list === undefined || countType === undefined) {
        (columns.get(name) as Column)[row] = source.next(type);
        continue;
      }
      const length = source.next(countType);
      for (let i = 0; i < length; i++) list.values.push(source.next(type));
      list.starts[row + 1] = list.values.length;
    }
  }
  return { count: element.count, columns, lists };
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

/** Reads columns by name. @throws Unrenderable for one that the table does not have. */
export function columnsOf(table: PlyTable): (name: string) => (row: number) => number {
  return (name) => {
    const column = table.columns.get(name);
    if (column === undefined) throw new Unrenderable(`not a splat file: the PLY has no property ${name}`);
    return (row) => column[row] ?? 0;
  };
}
