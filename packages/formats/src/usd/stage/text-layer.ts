import { TextScanner } from './text-scanner.ts';
import {
  type Arc,
  BLOCKED,
  isAsset,
  type Layer,
  ListEdits,
  type NumberType,
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
const VARIABILITIES: ReadonlySet<string> = new Set(['uniform', 'varying', 'config']);
const LISTS: ReadonlySet<string> = new Set(['subLayers', 'apiSchemas']);
const TEXTS: ReadonlySet<string> = new Set(['string', 'token']);
/** Metadata whose values are of one kind. */
const KINDS: Readonly<Record<string, 'string' | 'number' | 'object'>> = {
  defaultPrim: 'string',
  upAxis: 'string',
  kind: 'string',
  metersPerUnit: 'number',
  kilogramsPerUnit: 'number',
  timeCodesPerSecond: 'number',
  framesPerSecond: 'number',
  startTimeCode: 'number',
  endTimeCode: 'number',
  variantSelection: 'object',
  customData: 'object',
  assetInfo: 'object',
};
const RANGES: Readonly<Record<string, readonly [least: number, most: number]>> = {
  uchar: [0, 2 ** 8 - 1],
  int: [-(2 ** 31), 2 ** 31 - 1],
  uint: [0, 2 ** 32 - 1],
};
const NAME = /^[\p{XID_Start}_]\p{XID_Continue}*$/u;
const SPECIFIERS: ReadonlySet<string> = new Set(['def', 'over', 'class']);

/** Reads a layer from text, which begins with `#usda`. Throws `UnreadableFileError` with the line of a mistake after which it cannot go on. */
export function readTextLayer(bytes: Uint8Array, path: string): Layer {
  const reader = new TextLayerReader(bytes, path);
  const { root, subLayers, fault } = reader;
  return { path, root, subLayers, ...(fault && { fault }) };
}

function isName(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text) || NAME.test(text);
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

  get fault(): Layer['fault'] {
    return this.#scanner.fault;
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
    const word = scanner.word();
    const isBlock = SPECIFIERS.has(word) || word === 'variantSet';
    if (word === 'variantSet') this.#variantSet(prim);
    else if (isBlock) this.#prim(prim, word as Specifier);
    else if (word === 'reorder' && /^(?:nameChildren|properties|rootPrims)$/.test(scanner.peekWord())) {
      const list = scanner.word();
      this.#equals();
      prim.values.set(list === 'properties' ? 'propertyOrder' : 'primOrder', this.#strings());
    } else if (prim === this.root && word !== '') scanner.fail(`unexpected "${word}" outside of prims`);
    else this.#property(prim, word);
    if (!isBlock) scanner.endStatement();
    else if (!scanner.isOnNewLine) scanner.note(`unexpected "${scanner.peek()}" after a block`);
  }

  /** Reads what comes before a value, which begins on the same line. */
  #equals(): void {
    this.#scanner.stayOnLine();
    this.#scanner.expect('=');
    this.#scanner.stayOnLine();
  }

  #prim(parent: WrittenPrim, specifier: Specifier): void {
    const scanner = this.#scanner;
    let typeName = '';
    scanner.stayOnLine();
    if (!/["']/.test(scanner.peek())) {
      typeName = scanner.word();
      if (!isName(typeName)) scanner.fail(`expected the name of a prim after "${specifier}"`);
      scanner.stayOnLine();
    }
    const name = scanner.string();
    if (!isName(name)) scanner.fail(`"${name}" is no name of a prim`);
    if (parent.children.has(name)) scanner.fail(`two prims are called "${name}"`);
    const prim = new WrittenPrim();
    parent.children.set(name, prim);
    prim.values.set('specifier', specifier);
    if (typeName !== '') prim.values.set('typeName', typeName);
    this.#metadata(prim);
    this.#block(() => this.#item(prim));
  }

  #variantSet(prim: WrittenPrim): void {
    this.#scanner.stayOnLine();
    const name = this.#scanner.string();
    const variants = prim.variantSets.get(name) ?? new Map<string, WrittenPrim>();
    prim.variantSets.set(name, variants);
    this.#scanner.stayOnLine();
    this.#scanner.expect('=');
    this.#block(() => {
      const choice = this.#scanner.string();
      const variant = variants.get(choice) ?? new WrittenPrim();
      variants.set(choice, variant);
      this.#metadata(variant);
      this.#block(() => this.#item(variant));
    });
    if (variants.size === 0) this.#scanner.fail(`"${name}" has no variants`);
  }

  #property(prim: WrittenPrim, first: string): void {
    const scanner = this.#scanner;
    let word = first;
    const next = () => {
      scanner.stayOnLine();
      word = scanner.word();
    };
    const edit = EDITS[word];
    if (edit !== undefined) next();
    const isCustom = word === 'custom';
    if (isCustom) next();
    const variability = VARIABILITIES.has(word) ? word : '';
    if (variability !== '') next();
    if (word === '') scanner.fail(`unexpected "${scanner.peek()}"`);
    const isRelationship = word === 'rel';
    if (variability !== '' && isRelationship !== (variability === 'varying'))
      scanner.fail(`"${variability}" is not for "${word}"`);
    const isArray = !isRelationship && scanner.take('[');
    if (isArray) scanner.expect(']');
    const type = word;
    next();
    const name = word;
    if (!name.split(':').every(isName)) scanner.fail(`expected the name of a property after "${type}"`);
    const property = prim.properties.get(name) ?? new WrittenSpec();
    prim.properties.set(name, property);
    if (isCustom) property.values.set('custom', true);
    if (variability !== '') property.values.set('variability', variability);
    if (isRelationship) property.values.set('isRelationship', true);
    else {
      const typeName = isArray ? `${type}[]` : type;
      const before = property.values.get('typeName');
      if (type === 'dictionary' || (before !== undefined && before !== typeName))
        scanner.fail(`"${name}" is not of type ${typeName}`);
      property.values.set('typeName', typeName);
    }
    this.#opinion(property, type, isArray, edit);
    if (!scanner.isOnNewLine) this.#metadata(property);
  }

  #opinion(property: WrittenSpec, type: string, isArray: boolean, edit: Edit | undefined): void {
    const scanner = this.#scanner;
    const part = scanner.take('.') ? scanner.word() : '';
    if (scanner.isOnNewLine) return;
    // Relationships could once say something about each target.
    if (scanner.peek() === '[') scanner.fail('attributes of relationships are not supported');
    const isEdited = part === 'connect' || (type === 'rel' && (part === '' || part === 'default'));
    if (edit !== undefined && !isEdited) scanner.fail('only lists are edited');
    if (scanner.peek() !== '=') return;
    this.#equals();
    if (isEdited) {
      const paths = scanner.peekWord() === 'None' ? this.#none() : this.#list(() => scanner.path());
      this.#edit(property, type === 'rel' ? 'targetPaths' : 'connectionPaths', edit ?? 'explicit', paths);
    } else if (part === 'timeSamples') property.values.set('timeSamples', this.#timeSamples(type, isArray));
    else if (part === 'spline') this.#skipBlock();
    else if (part === '' || part === 'default') property.values.set('default', this.#typed(type, isArray));
    else scanner.fail(`unexpected ".${part}"`);
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
      scanner.stayOnLine();
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
      if (/["']/.test(scanner.peek())) spec.values.set('documentation', scanner.string());
      else this.#metadatum(spec);
      if (scanner.peek() !== ')') scanner.endStatement();
    }
  }

  #metadatum(spec: WrittenSpec): void {
    const scanner = this.#scanner;
    let word = scanner.word();
    const edit = EDITS[word];
    if (edit !== undefined) {
      scanner.stayOnLine();
      word = scanner.word();
    }
    if (word === '') scanner.fail(`unexpected "${scanner.peek()}" in metadata`);
    const field = FIELDS[word] ?? word;
    this.#equals();
    const isNone = scanner.peekWord() === 'None';
    if (LISTS.has(field) && !isNone && scanner.peek() !== '[') scanner.fail(`expected "[" after "${word}"`);
    if (field === 'subLayers' && spec === this.root) this.subLayers.push(...this.#list(() => this.#arc()));
    else if (ARC_FIELDS.has(field))
      this.#edit(spec, field, edit ?? 'explicit', isNone ? this.#none() : this.#list(() => this.#arc()));
    else if (PATH_FIELDS.has(field))
      this.#edit(spec, field, edit ?? 'explicit', isNone ? this.#none() : this.#list(() => scanner.path()));
    else if (field === 'relocates') spec.values.set(field, this.#relocates());
    else if (field === 'apiSchemas' || field === 'variantSetNames')
      this.#edit(spec, field, edit ?? 'explicit', isNone ? this.#none() : this.#strings());
    else if (edit !== undefined)
      this.#edit(
        spec,
        field,
        edit,
        this.#list(() => String(this.#value())),
      );
    else {
      const value = this.#value();
      const kind = KINDS[field];
      if (kind !== undefined && typeof value !== kind) scanner.fail(`expected a ${kind} after "${word}"`);
      spec.values.set(field, value);
    }
  }

  #arc(): Arc {
    const scanner = this.#scanner;
    const asset = scanner.peek() === '@' ? scanner.asset() : '';
    const isNext = (character: string) => scanner.peek() === character && !scanner.isOnNewLine;
    const prim = asset === '' || isNext('<') ? scanner.path(true) : '';
    const { line } = scanner;
    const spec = new WrittenSpec();
    if (isNext('(')) this.#metadata(spec);
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

  /** Reads a value of a type by its name; of one that is not known by what it looks like. */
  #typed(type: string, isArray: boolean): Value {
    const scanner = this.#scanner;
    const numbers = numberType(type);
    if (scanner.peekWord() === 'None') return this.#blocked();
    if (isArray && scanner.peek() !== '[') scanner.fail(`expected "[" for ${type}[]`);
    if (TEXTS.has(type)) return isArray ? this.#strings() : scanner.string();
    if (numbers !== undefined && isArray && scanner.take('[')) return scanner.numbers(numbers);
    if (type === 'bool') return this.#truth();
    if (numbers !== undefined) return numbers.size === 1 ? this.#numberOf(type) : this.#vector(numbers);
    const value = this.#value();
    if (type !== 'asset' || isArray) return value;
    if (typeof value === 'string') return { asset: value, layer: this.#path };
    return isAsset(value) ? value : scanner.fail('expected a path to a file');
  }

  #blocked(): typeof BLOCKED {
    this.#scanner.word();
    return BLOCKED;
  }

  #truth(): boolean {
    const scanner = this.#scanner;
    if (scanner.startsNumber()) return scanner.number() !== 0;
    const word = (/["']/.test(scanner.peek()) ? scanner.string() : scanner.word()).toLowerCase();
    if (!/^(?:true|false|yes|no)$/.test(word)) scanner.fail(`expected true or false, not "${word}"`);
    return word === 'true' || word === 'yes';
  }

  #numberOf(type: string): number {
    const number = this.#scanner.number();
    const [least, most] = RANGES[type] ?? [-Infinity, Infinity];
    if (number < least || number > most) this.#scanner.fail(`${number} is out of the range of ${type}`);
    return number;
  }

  #vector({ size, rows }: NumberType): number[] {
    const row = (count: number) => this.#row(count, () => this.#scanner.number());
    return rows === undefined ? row(size) : this.#row(rows, () => row(rows)).flat();
  }

  /** Reads as many items in parentheses. */
  #row<Item>(count: number, item: () => Item): Item[] {
    const scanner = this.#scanner;
    scanner.expect('(');
    const items: Item[] = [];
    while (!scanner.take(')')) {
      items.push(item());
      if (!scanner.take(',') && scanner.peek() !== ')') scanner.fail('expected "," or ")" in a vector');
    }
    if (items.length !== count) scanner.fail(`expected ${count} values in a vector`);
    return items;
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
      if (scanner.peek() === ')') scanner.fail('a vector has no numbers');
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
      const type = scanner.word();
      const isArray = scanner.take('[');
      if (isArray) scanner.expect(']');
      scanner.stayOnLine();
      const isQuoted = /["']/.test(scanner.peek());
      const name = isQuoted ? scanner.string() : scanner.word();
      if (type === '' || (name === '' && !isQuoted))
        scanner.fail('expected a type and a name in a dictionary');
      this.#equals();
      const value = type === 'dictionary' ? this.#dictionary() : this.#typed(type, isArray);
      if (value !== BLOCKED) dictionary[name] = value;
      if (scanner.peek() !== '}') scanner.endStatement();
    });
    return dictionary;
  }
}
