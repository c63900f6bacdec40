import { named } from '../../named.ts';

/** A path to a file as written, and the layer that wrote it: references resolve beside that layer. */
export interface UsdAsset {
  readonly asset: string;
  readonly layer: string;
  /** The line of a layer in text, counted from 1. */
  readonly line?: number;
}

/**
 * A value of USD. Vectors and matrices are flat lists of numbers (matrices row by row, with row vectors: a translation
 * is in the last row), arrays of numbers or vectors flat typed arrays, quaternions have their real part first.
 * Truth values in arrays are 0 and 1.
 */
export type UsdValue =
  | boolean
  | number
  | string
  | UsdAsset
  | readonly number[]
  | Float32Array
  | Float64Array
  | Int32Array
  | readonly string[]
  | readonly UsdAsset[]
  | { readonly [key: string]: UsdValue };

/** `None`: hides what weaker layers say. */
export const BLOCKED = Symbol('blocked');

/** Values of an attribute at times, which ascend. */
export class TimeSamples {
  readonly times: readonly number[];
  readonly #valueAt: (index: number) => UsdValue | typeof BLOCKED;

  constructor(times: readonly number[], valueAt: (index: number) => UsdValue | typeof BLOCKED) {
    this.times = times;
    this.#valueAt = valueAt;
  }

  /** Returns the value at the time of that index; undefined if there is none at that time. */
  at(index: number): UsdValue | undefined {
    const value = this.#valueAt(index);
    return value === BLOCKED ? undefined : value;
  }
}

/**
 * A reference, payload or sublayer. Without an `asset` it means a prim of the same layers. Those with other times (its
 * own, times `scale`, plus `offset`) are others in a list; nothing else reads these.
 */
export interface Arc {
  readonly asset: string;
  readonly offset: number;
  readonly scale: number;
  /** Empty for the default prim. */
  readonly prim: string;
  /** The line of a layer in text, counted from 1. */
  readonly line?: number;
}

/** Edits of a list. Lists of stronger layers edit those of weaker ones, unless they are explicit. */
export class ListEdits<Item> {
  explicit: readonly Item[] | undefined;
  prepended: readonly Item[] = [];
  appended: readonly Item[] = [];
  added: readonly Item[] = [];
  deleted: readonly Item[] = [];
  ordered: readonly Item[] = [];

  constructor(explicit?: readonly Item[]) {
    this.explicit = explicit;
  }

  /** What is in the list or can be in it. */
  get everything(): readonly Item[] {
    const { explicit = [], prepended, appended, added, deleted, ordered } = this;
    return [...explicit, ...prepended, ...appended, ...added, ...deleted, ...ordered];
  }

  /** What `to` does not map is left out. */
  map<Other>(to: (item: Item) => Other | undefined): ListEdits<Other> {
    const all = (items: readonly Item[]) => items.map(to).filter((item) => item !== undefined);
    const mapped = new ListEdits(this.explicit && all(this.explicit));
    mapped.prepended = all(this.prepended);
    mapped.appended = all(this.appended);
    mapped.added = all(this.added);
    mapped.deleted = all(this.deleted);
    mapped.ordered = all(this.ordered);
    return mapped;
  }
}

/** What a layer says in one field of a prim or property. */
export type Field =
  | UsdValue
  | typeof BLOCKED
  | TimeSamples
  | ListEdits<string>
  | ListEdits<Arc>
  | ListEdits<number>;

/** What a layer says about a prim, a property or itself. */
export interface Spec {
  readonly fields: Iterable<string>;
  get(field: string): Field | undefined;
}

export interface PrimSpec extends Spec {
  readonly children: ReadonlyMap<string, PrimSpec>;
  readonly properties: ReadonlyMap<string, Spec>;
  readonly variantSets: ReadonlyMap<string, ReadonlyMap<string, PrimSpec>>;
}

/** A layer as it is written, with nothing followed. */
export interface Layer {
  readonly path: string;
  readonly subLayers: readonly Arc[];
  /** Stands for the layer itself; its children are the prims at the top. */
  readonly root: PrimSpec;
  /** Why OpenUSD refuses it, though it can be read. */
  readonly fault?: LayerFault;
}

/** A mistake in a text. */
export interface LayerFault {
  readonly line: number;
  readonly message: string;
}

/** Whether a field is a value, and not edits of a list, samples or nothing. */
export function isValue(field: Field | undefined): field is UsdValue {
  return (
    field !== undefined &&
    field !== BLOCKED &&
    !(field instanceof ListEdits) &&
    !(field instanceof TimeSamples)
  );
}

export function isAsset(value: unknown): value is UsdAsset {
  return typeof value === 'object' && value !== null && 'asset' in value && 'layer' in value;
}

export function isDictionary(value: unknown): value is { readonly [key: string]: UsdValue } {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null;
}

/** How many numbers a value of a type has, and in which array many of them are kept. */
export interface NumberType {
  readonly size: number;
  /** Of a matrix. */
  readonly rows?: number;
  /** Its numbers are truth values, which are also written as words. */
  readonly isTruth?: boolean;
  readonly array: Float32ArrayConstructor | Float64ArrayConstructor | Int32ArrayConstructor;
}

const ARRAYS = { h: Float32Array, f: Float32Array, d: Float64Array, i: Int32Array } as const;
const SCALARS: Readonly<Record<string, NumberType['array']>> = named({
  bool: Int32Array,
  uchar: Int32Array,
  int: Int32Array,
  uint: Float64Array,
  int64: Float64Array,
  uint64: Float64Array,
  half: Float32Array,
  float: Float32Array,
  double: Float64Array,
  timecode: Float64Array,
});
const VECTOR = /^(half|float|double|int)([234])$/;
const ROLE = /^(?:point|vector|normal|color|texCoord)([234])([hfd])$/;

/** Returns the numbers of a type by its name in text, without brackets; undefined if it is not made of numbers. */
export function numberType(name: string): NumberType | undefined {
  const array = SCALARS[name];
  if (array !== undefined) return { size: 1, array, isTruth: name === 'bool' };
  const [, scalar = '', size] = VECTOR.exec(name) ?? [];
  if (size !== undefined) return { size: Number(size), array: SCALARS[scalar] ?? Float64Array };
  const [, length, kind] = ROLE.exec(name) ?? [];
  if (length !== undefined) return { size: Number(length), array: ARRAYS[kind as 'h'] };
  if (/^quat[hfd]$/.test(name)) return { size: 4, array: ARRAYS[name.at(-1) as 'h'] };
  const [, rows] = /^(?:matrix|frame)([234])d$/.exec(name) ?? [];
  return rows === undefined
    ? undefined
    : { size: Number(rows) ** 2, rows: Number(rows), array: Float64Array };
}
