import { TextScanner } from './text-scanner.ts';
import {
  type Arc,
  BLOCKED,
  type Layer,
  ListEdits,
  numberType,
  TimeSamples,
  type UsdAsset,
  type UsdValue,
} from './values.ts';
import { WrittenPrim, WrittenSpec } from './written-specs.ts';

const MAX_NESTING = 256;

type Specifier = 'def' | 'over' | 'class';
type Edit = 'explicit' | 'prepended' | 'appended' | 'added' | 'deleted' | 'ordered';
type Value = UsdValue | typeof BLOCKED;

const EDITS: Readonly<Record<string, Edit>> = {
  prepend: 'prepended',
  append: 'appended',
  add: 'added',
  delete: 'deleted',
  reorder: 'ordered',
};
/** Names of fields that differ from their words in text. */
const FIELDS: Readonly<Record<string, string>> = {
  payload: 'payload',
  inherits: 'inheritPaths',
  variants: 'variantSelection',
  variantSets: 'variantSetNames',
  doc: 'documentation',
};
const PATH_FIELDS: ReadonlySet<string> = new Set(['inheritPaths', 'specializes']);
const ARC_FIELDS: ReadonlySet<string> = new Set(['references', 'payload']);
const MODIFIERS: ReadonlySet<string> = new Set(['custom', 'uniform', 'varying', 'config']);
const SPECIFIERS: ReadonlySet<string> = new Set(['def', 'over', 'class']);

/** Reads a layer from text, which begins with `#usda`. Throws `UnreadableFileError` with the line of a mistake. */
export function readTextLayer(bytes: Uint8Array, path: string): Layer {
  const reader = new TextLayerReader(bytes, path);
  return { path, root: reader.root, subLayers: reader.subLayers };
}

class TextLayerReader {
  readonly root = new WrittenPrim();
  readonly subLayers: Arc[] = [];
  readonly #scanner: TextScanner;
  readonly #path: string;
  #depth = 0;

  constructor(bytes: Uint8Array, path: string) {
    this.#path = path;
    this.#scanner = new TextScanner(bytes, 0);
    this.#metadata(this.root);
    while (this.#scanner.peek() !== '') this.#item(this.root);
  }

  #nested<Result>(read: () => Result): Result {
    if (++this.#depth > MAX_NESTING) this.#scanner.fail('it is nested too deeply');
    const result = read();
    this.#depth--;
    return result;
  }

  /** Reads what is between braces. */
  #block(item: () => void): void {
    this.#scanner.expect('{');
    this.#nested(() => {
      while (!this.#scanner.take('}')) {
        if (this.#scanner.peek() === '') this.#scanner.fail('a block has no closing "}"');
        item();
      }
    });
  }

  #item(prim: WrittenPrim): void {
    const scanner = this.#scanner;
    if (scanner.take(';')) return;
    const word = scanner.word();
    if (SPECIFIERS.has(word)) this.#prim(prim, word as Specifier);
    else if (word === 'variantSet') this.#variantSet(prim);
    else if (word === 'reorder' && /^(?:nameChildren|properties|rootPrims)$/.test(scanner.peekWord())) {
      const list = scanner.word();
      scanner.expect('=');
      prim.values.set(list === 'properties' ? 'propertyOrder' : 'primOrder', this.#strings());
    } else this.#property(prim, word);
  }

  #prim(parent: WrittenPrim, specifier: Specifier): void {
    const scanner = this.#scanner;
    let typeName = '';
    if (!/["']/.test(scanner.peek())) {
      typeName = scanner.word();
      if (typeName === '') scanner.fail(`expected the name of a prim after "${specifier}"`);
    }
    const name = scanner.string();
    const prim = parent.children.get(name) ?? new WrittenPrim();
    parent.children.set(name, prim);
    prim.values.set('specifier', specifier);
    if (typeName !== '') prim.values.set('typeName', typeName);
    this.#metadata(prim);
    this.#block(() => this.#item(prim));
  }

  #variantSet(prim: WrittenPrim): void {
    const name = this.#scanner.string();
    const variants = prim.variantSets.get(name) ?? new Map<string, WrittenPrim>();
    prim.variantSets.set(name, variants);
    this.#scanner.expect('=');
    this.#block(() => {
      const choice = this.#scanner.string();
      const variant = variants.get(choice) ?? new WrittenPrim();
      variants.set(choice, variant);
      this.#metadata(variant);
      this.#block(() => this.#item(variant));
    });
  }

  #property(prim: WrittenPrim, first: string): void {
    const scanner = this.#scanner;
    let word = first;
    const edit = EDITS[word];
    if (edit !== undefined) word = scanner.word();
    let isCustom = false;
    let variability = '';
    for (; MODIFIERS.has(word); word = scanner.word()) {
      if (word === 'custom') isCustom = true;
      else variability = word;
    }
    if (word === '') scanner.fail(`unexpected "${scanner.peek()}"`);
    const isRelationship = word === 'rel';
    const isArray = !isRelationship && scanner.take('[');
    if (isArray) scanner.expect(']');
    const name = scanner.word();
    if (name === '') scanner.fail(`expected the name of a property after "${word}"`);
    const property = prim.properties.get(name) ?? new WrittenSpec();
    prim.properties.set(name, property);
    if (isCustom) property.values.set('custom', true);
    if (variability !== '') property.values.set('variability', variability);
    if (isRelationship) property.values.set('isRelationship', true);
    else property.values.set('typeName', isArray ? `${word}[]` : word);
    this.#opinion(property, word, isArray, edit ?? 'explicit');
    this.#metadata(property);
  }

  #opinion(property: WrittenSpec, type: string, isArray: boolean, edit: Edit): void {
    const scanner = this.#scanner;
    const part = scanner.take('.') ? scanner.word() : '';
    // Relationships could once say something about each target.
    if (scanner.peek() === '[') scanner.fail('attributes of relationships are not supported');
    if (part === 'connect' || (part === '' && type === 'rel')) {
      if (!scanner.take('=')) return;
      const paths = scanner.peekWord() === 'None' ? this.#none() : this.#list(() => scanner.path());
      this.#edit(property, type === 'rel' ? 'targetPaths' : 'connectionPaths', edit, paths);
    } else if (part === 'timeSamples') {
      scanner.expect('=');
      property.values.set('timeSamples', this.#timeSamples(type, isArray));
    } else if (part === 'spline') {
      scanner.expect('=');
      this.#skipBlock();
    } else if (part === '' || part === 'default') {
      if (scanner.take('=')) property.values.set('default', this.#typed(type, isArray));
    } else scanner.fail(`unexpected ".${part}"`);
  }

  #none(): [] {
    this.#scanner.word();
    return [];
  }

  #edit<Item extends string | Arc>(
    spec: WrittenSpec,
    field: string,
    edit: Edit,
    items: readonly Item[],
  ): void {
    const known = spec.values.get(field);
    const edits = known instanceof ListEdits ? (known as ListEdits<Item>) : new ListEdits<Item>();
    edits[edit] = items;
    spec.values.set(field, edits as ListEdits<string> | ListEdits<Arc>);
  }

  /** Reads one item, or several in brackets. */
  #list<Item>(item: () => Item): Item[] {
    const scanner = this.#scanner;
    if (!scanner.take('[')) return [item()];
    const items: Item[] = [];
    while (!scanner.take(']')) {
      items.push(item());
      if (!scanner.take(',') && scanner.peek() !== ']') scanner.fail('expected "," or "]" in a list');
    }
    return items;
  }

  #strings(): string[] {
    return this.#list(() => this.#scanner.string());
  }

  #timeSamples(type: string, isArray: boolean): TimeSamples {
    const scanner = this.#scanner;
    const samples: (readonly [number, Value])[] = [];
    this.#block(() => {
      const time = scanner.number();
      scanner.expect(':');
      samples.push([time, this.#typed(type, isArray)]);
      if (!scanner.take(',') && scanner.peek() !== '}')
        scanner.fail('expected "," or "}" after a time sample');
    });
    samples.sort(([a], [b]) => a - b);
    return new TimeSamples(
      samples.map(([time]) => time),
      (index) => samples[index]?.[1] ?? BLOCKED,
    );
  }

  /** Skips a block of which nothing is used. */
  #skipBlock(): void {
    const scanner = this.#scanner;
    this.#block(() => {
      const next = scanner.peek();
      if (next === '{') this.#skipBlock();
      else if (next === '"' || next === "'") scanner.string();
      else if (next === '<') scanner.path();
      else if (scanner.word() === '' && !scanner.take(next)) scanner.fail('a block has no closing "}"');
    });
  }

  /** Reads metadata in parentheses, if there is any. */
  #metadata(spec: WrittenSpec): void {
    const scanner = this.#scanner;
    if (!scanner.take('(')) return;
    while (!scanner.take(')')) {
      const next = scanner.peek();
      if (next === '"' || next === "'") spec.values.set('documentation', scanner.string());
      else if (!scanner.take(';') && !scanner.take(',')) this.#metadatum(spec);
    }
  }

  #metadatum(spec: WrittenSpec): void {
    const scanner = this.#scanner;
    let word = scanner.word();
    const edit = EDITS[word];
    if (edit !== undefined) word = scanner.word();
    if (word === '') scanner.fail(`unexpected "${scanner.peek()}" in metadata`);
    const field = FIELDS[word] ?? word;
    scanner.expect('=');
    if (field === 'subLayers' && spec === this.root) this.subLayers.push(...this.#list(() => this.#arc()));
    else if (ARC_FIELDS.has(field)) {
      const arcs = scanner.peekWord() === 'None' ? this.#none() : this.#list(() => this.#arc());
      this.#edit(spec, field, edit ?? 'explicit', arcs);
    } else if (PATH_FIELDS.has(field)) {
      const paths = scanner.peekWord() === 'None' ? this.#none() : this.#list(() => scanner.path());
      this.#edit(spec, field, edit ?? 'explicit', paths);
    } else if (field === 'relocates') spec.values.set(field, this.#relocates());
    else if (edit !== undefined || field === 'variantSetNames') {
      const strings = this.#list(() => String(this.#value()));
      this.#edit(spec, field, edit ?? 'explicit', strings);
    } else spec.values.set(field, this.#value());
  }

  #arc(): Arc {
    const scanner = this.#scanner;
    const asset = scanner.peek() === '@' ? scanner.asset() : '';
    const prim = asset === '' || scanner.peek() === '<' ? scanner.path() : '';
    const { line } = scanner;
    const spec = new WrittenSpec();
    this.#metadata(spec);
    const numberOf = (field: string, standard: number) => {
      const value = spec.get(field);
      return typeof value === 'number' ? value : standard;
    };
    return { asset, prim, line, offset: numberOf('offset', 0), scale: numberOf('scale', 1) };
  }

  #relocates(): UsdValue {
    const scanner = this.#scanner;
    const relocates: Record<string, string> = Object.create(null);
    this.#block(() => {
      const source = scanner.path();
      scanner.expect(':');
      relocates[source] = scanner.path();
      scanner.take(',');
    });
    return relocates;
  }

  /** Reads a value of a type that is known. */
  #typed(type: string, isArray: boolean): Value {
    const scanner = this.#scanner;
    const numbers = numberType(type);
    if (isArray && numbers !== undefined && scanner.take('[')) return scanner.numbers(numbers);
    if (!isArray && numbers?.size === 1 && type !== 'bool' && scanner.startsNumber()) return scanner.number();
    const value = this.#value();
    if (type === 'bool' && typeof value === 'number') return value !== 0;
    if (type === 'asset' && typeof value === 'string') return { asset: value, layer: this.#path };
    const size = numbers?.size ?? 1;
    if (size > 1 && value !== BLOCKED && (!Array.isArray(value) || value.length !== size))
      scanner.fail(`expected ${size} numbers for ${type}`);
    return value;
  }

  /** Reads a value by what it looks like. */
  #value(): Value {
    const scanner = this.#scanner;
    switch (scanner.peek()) {
      case '"':
      case "'":
        return scanner.string();
      case '@':
        return { asset: scanner.asset(), layer: this.#path, line: scanner.line };
      case '<':
        return scanner.path();
      case '(':
        return this.#tuple([]);
      case '{':
        return this.#dictionary();
      case '[':
        return this.#nested(() => this.#anyList());
    }
    if (scanner.startsNumber()) return scanner.number();
    const word = scanner.word();
    if (word === 'None') return BLOCKED;
    if (/^(?:true|false)$/i.test(word)) return word.toLowerCase() === 'true';
    if (word === '') scanner.fail('expected a value');
    return word;
  }

  /** Reads numbers in parentheses, which can be in parentheses again, as one flat list. */
  #tuple(numbers: number[]): number[] {
    const scanner = this.#scanner;
    scanner.expect('(');
    this.#nested(() => {
      while (!scanner.take(')')) {
        if (scanner.peek() === '(') this.#tuple(numbers);
        else numbers.push(scanner.number());
        if (!scanner.take(',') && scanner.peek() !== ')') scanner.fail('expected "," or ")" in a vector');
      }
    });
    return numbers;
  }

  #anyList(): UsdValue {
    const scanner = this.#scanner;
    const items = this.#list(() => {
      const value = this.#value();
      if (value === BLOCKED) scanner.fail('a list cannot contain None');
      return value;
    });
    return (items.some(Array.isArray) ? items.flat() : items) as UsdAsset[] | string[] | number[];
  }

  #dictionary(): UsdValue {
    const scanner = this.#scanner;
    const dictionary: Record<string, UsdValue> = Object.create(null);
    this.#block(() => {
      if (scanner.take(';') || scanner.take(',')) return;
      const type = scanner.word();
      const isArray = scanner.take('[');
      if (isArray) scanner.expect(']');
      const name = /["']/.test(scanner.peek()) ? scanner.string() : scanner.word();
      scanner.expect('=');
      const value = this.#typed(type, isArray);
      if (value !== BLOCKED) dictionary[name] = value;
    });
    return dictionary;
  }
}
