import type { ByteCursor, ByteSource } from './byte-cursor.ts';
import { unpack } from './compression.ts';
import { CrateTables, NO_PATH } from './crate-tables.ts';
import { CrateValues } from './crate-values.ts';
import { ordered } from './list-edits.ts';
import type { Arc, Field, Layer, PrimSpec, Spec } from './values.ts';

const ATTRIBUTE = 1;
const PRIM = 6;
const ROOT = 7;
const RELATIONSHIP = 8;
const VARIANT = 10;

/** Reads a crate, which begins with `PXR-USDC`. Values are read when they are asked for. Throws `UnreadableFileError`. */
export function readCrateLayer(source: ByteSource, path: string): Layer {
  const tables = new CrateTables(source, path);
  const fields = new CrateFields(tables);
  const root = readSpecs(tables, fields);
  return { path, root, subLayers: subLayersOf(root) };
}

/** The fields of prims and properties: names with values, in sets that many prims can share. */
class CrateFields {
  readonly #names: Uint32Array;
  readonly #values: BigUint64Array;
  readonly #sets: Int32Array;
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #tables: CrateTables;
  readonly #reader: CrateValues;

  constructor(tables: CrateTables) {
    this.#tables = tables;
    this.#reader = new CrateValues(tables);
    this.#numbers = new Map(tables.tokens.map((token, number) => [token, number]));
    const cursor = tables.section('FIELDS');
    const count = tables.entries(cursor);
    if (tables.isAtLeast(4)) {
      this.#names = new Uint32Array(cursor.integers(count).buffer);
      const values = unpack(cursor.bytes(cursor.int64()), 8 * count);
      if (values.length !== 8 * count) cursor.fail('it has less than it says');
      this.#values = new BigUint64Array(new Uint8Array(values).buffer);
    } else {
      this.#names = new Uint32Array(count);
      this.#values = new BigUint64Array(count);
      for (let at = 0; at < count; at++) {
        cursor.uint32();
        this.#names[at] = cursor.uint32();
        this.#values[at] = cursor.bits64();
      }
    }
    const sets = tables.section('FIELDSETS');
    const length = tables.entries(sets);
    this.#sets = tables.isAtLeast(4)
      ? sets.integers(length)
      : new Int32Array(new Uint8Array(sets.bytes(4 * length)).buffer);
  }

  get(set: number, name: string): Field | undefined {
    const number = this.#numbers.get(name);
    if (number === undefined) return undefined;
    for (let at = set; ; at++) {
      const field = this.#sets[at] ?? -1;
      if (field < 0) return undefined;
      if (this.#names[field] === number) return this.#reader.read(this.#values[field] as bigint);
    }
  }

  namesIn(set: number): string[] {
    const names: string[] = [];
    for (let at = set; (this.#sets[at] ?? -1) >= 0; at++)
      names.push(this.#tables.token(this.#names[this.#sets[at] as number] ?? -1));
    return names;
  }
}

class CrateSpec implements Spec {
  readonly #all: CrateFields;
  readonly #set: number;
  readonly #isRelationship: boolean;

  constructor(all: CrateFields, set: number, isRelationship = false) {
    this.#all = all;
    this.#set = set;
    this.#isRelationship = isRelationship;
  }

  get fields(): Iterable<string> {
    return this.#all.namesIn(this.#set);
  }

  get(field: string): Field | undefined {
    if (field === 'isRelationship') return this.#isRelationship || undefined;
    return this.#all.get(this.#set, field);
  }
}

class CratePrim extends CrateSpec implements PrimSpec {
  children: Map<string, CratePrim> = new Map();
  properties: Map<string, CrateSpec> = new Map();
  readonly variantSets = new Map<string, Map<string, CratePrim>>();

  /** Puts children and properties into the order in which they were written. */
  sort(): void {
    const names = (field: string) => {
      const order = this.get(field);
      return Array.isArray(order) ? (order as readonly string[]) : [];
    };
    if (this.children.size > 1) this.children = ordered(this.children, names('primChildren'));
    if (this.properties.size > 1) this.properties = ordered(this.properties, names('properties'));
  }
}

/** Reads which prims and properties there are; those whose parents are missing are left out. */
function readSpecs(tables: CrateTables, fields: CrateFields): CratePrim {
  const cursor = tables.section('SPECS');
  const count = tables.entries(cursor);
  const { paths, sets, types } = specColumns(tables, cursor, count);
  const prims = new Map<number, CratePrim>();
  let root: CratePrim | undefined;
  for (let at = 0; at < count; at++) {
    const type = types[at];
    if (type !== PRIM && type !== ROOT && type !== VARIANT) continue;
    const prim = new CratePrim(fields, sets[at] as number);
    prims.set(paths[at] as number, prim);
    if (type === ROOT) root = prim;
  }
  if (root === undefined) return cursor.fail('it has no root');
  for (let at = 0; at < count; at++) {
    const path = paths[at] as number;
    const type = types[at];
    const parent = prims.get(tables.parents[path] ?? NO_PATH);
    if (parent === undefined) continue;
    const name = tables.token(tables.parts[path] as number);
    if (type === ATTRIBUTE || type === RELATIONSHIP)
      parent.properties.set(name, new CrateSpec(fields, sets[at] as number, type === RELATIONSHIP));
    const prim = prims.get(path);
    if (prim === undefined) continue;
    if (type === PRIM) parent.children.set(name, prim);
    if (type === VARIANT) addVariant(parent, name, prim);
  }
  for (const prim of prims.values()) prim.sort();
  return root;
}

function specColumns(tables: CrateTables, cursor: ByteCursor, count: number) {
  if (tables.isAtLeast(4))
    return { paths: cursor.integers(count), sets: cursor.integers(count), types: cursor.integers(count) };
  const paths = new Int32Array(count);
  const sets = new Int32Array(count);
  const types = new Int32Array(count);
  for (let at = 0; at < count; at++) {
    if (tables.isPadded) cursor.uint32();
    paths[at] = cursor.int32();
    sets[at] = cursor.int32();
    types[at] = cursor.int32();
  }
  return { paths, sets, types };
}

/** Adds a variant by the last part of its path, `{set=choice}`. */
function addVariant(parent: CratePrim, part: string, prim: CratePrim): void {
  const [, set, choice] = /^\{([^=]*)=(.*)\}$/s.exec(part) ?? [];
  if (set === undefined || choice === undefined) return;
  const variants = parent.variantSets.get(set) ?? new Map<string, CratePrim>();
  parent.variantSets.set(set, variants);
  variants.set(choice, prim);
}

function subLayersOf(root: Spec): readonly Arc[] {
  const assets = root.get('subLayers');
  if (!Array.isArray(assets)) return [];
  return assets
    .filter((asset) => typeof asset === 'string')
    .map((asset) => ({ asset, prim: '', offset: 0, scale: 1 }));
}
