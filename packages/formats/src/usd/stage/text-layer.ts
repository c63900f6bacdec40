import { named } from '../../named.ts';
import { TextScanner } from './text-scanner.ts';
import { TextValues } from './text-values.ts';
import { type Arc, type Layer, ListEdits, type UsdValue } from './values.ts';
import { WrittenPrim, WrittenSpec } from './written-specs.ts';

type Specifier = 'def' | 'over' | 'class';
type Edit = 'explicit' | 'prepended' | 'appended' | 'added' | 'deleted' | 'ordered';

const EDITS: Readonly<Record<string, Edit>> = named({
  prepend: 'prepended',
  append: 'appended',
  add: 'added',
  delete: 'deleted',
  reorder: 'ordered',
});
/** Names of fields that differ from their words in text. */
const FIELDS: Readonly<Record<string, string>> = named({
  payload: 'payload',
  inherits: 'inheritPaths',
  variants: 'variantSelection',
  variantSets: 'variantSetNames',
  doc: 'documentation',
});
const PATH_FIELDS: ReadonlySet<string> = new Set(['inheritPaths', 'specializes']);
const ARC_FIELDS: ReadonlySet<string> = new Set(['references', 'payload']);
const VARIABILITIES: ReadonlySet<string> = new Set(['uniform', 'varying', 'config']);
const LISTS: ReadonlySet<string> = new Set(['subLayers', 'apiSchemas']);
/** Metadata whose values are of one kind. */
const KINDS: Readonly<Record<string, 'string' | 'number' | 'object'>> = named({
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
});
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
  readonly #values: TextValues;

  constructor(bytes: Uint8Array, path: string) {
    this.#scanner = new TextScanner(bytes, 0);
    this.#values = new TextValues(this.#scanner, path);
    this.#metadata(this.root);
    while (this.#scanner.peek() !== '') this.#item(this.root);
  }

  get fault(): Layer['fault'] {
    return this.#scanner.fault;
  }

  #item(prim: WrittenPrim): void {
    const scanner = this.#scanner;
    const word = scanner.word();
    const isBlock = SPECIFIERS.has(word) || word === 'variantSet';
    if (word === 'variantSet') this.#variantSet(prim);
    else if (isBlock) this.#prim(prim, word as Specifier);
    else if (word === 'reorder' && /^(?:nameChildren|properties|rootPrims)$/.test(scanner.peekWord())) {
      const list = scanner.word();
      this.#values.equals();
      prim.values.set(list === 'properties' ? 'propertyOrder' : 'primOrder', this.#values.strings());
    } else if (prim === this.root && word !== '') scanner.fail(`unexpected "${word}" outside of prims`);
    else this.#property(prim, word);
    if (!isBlock) scanner.endStatement();
    else if (!scanner.isOnNewLine) scanner.note(`unexpected "${scanner.peek()}" after a block`);
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
    this.#values.block(() => this.#item(prim));
  }

  #variantSet(prim: WrittenPrim): void {
    this.#scanner.stayOnLine();
    const name = this.#scanner.string();
    const variants = prim.variantSets.get(name) ?? new Map<string, WrittenPrim>();
    prim.variantSets.set(name, variants);
    this.#scanner.stayOnLine();
    this.#scanner.expect('=');
    this.#values.block(() => {
      const choice = this.#scanner.string();
      const variant = variants.get(choice) ?? new WrittenPrim();
      variants.set(choice, variant);
      this.#metadata(variant);
      this.#values.block(() => this.#item(variant));
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
    this.#values.equals();
    if (isEdited) {
      const paths = scanner.peekWord() === 'None' ? this.#none() : this.#values.list(() => scanner.path());
      this.#edit(property, type === 'rel' ? 'targetPaths' : 'connectionPaths', edit ?? 'explicit', paths);
    } else if (part === 'timeSamples')
      property.values.set('timeSamples', this.#values.timeSamples(type, isArray));
    else if (part === 'spline') this.#skipBlock();
    else if (part === '' || part === 'default')
      property.values.set('default', this.#values.ofType(type, isArray));
    else scanner.fail(`unexpected ".${part}"`);
  }

  #none(): [] {
    this.#scanner.word();
    return [];
  }

  #edit<Item extends string | Arc>(
    spec: WrittenSpec,
    field: string,
    edit: Edit = 'explicit',
    items: readonly Item[],
  ): void {
    const known = spec.values.get(field);
    const edits = known instanceof ListEdits ? (known as ListEdits<Item>) : new ListEdits<Item>();
    edits[edit] = items;
    spec.values.set(field, edits as ListEdits<string> | ListEdits<Arc>);
  }

  /** Skips a block of which nothing is used. */
  #skipBlock(): void {
    const scanner = this.#scanner;
    this.#values.block(() => {
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
    this.#values.equals();
    const isNone = scanner.peekWord() === 'None';
    const items = <Item>(item: () => Item) => (isNone ? this.#none() : this.#values.list(item));
    if (LISTS.has(field) && !isNone && scanner.peek() !== '[') scanner.fail(`expected "[" after "${word}"`);
    if (field === 'subLayers' && spec === this.root)
      this.subLayers.push(...this.#values.list(() => this.#arc()));
    else if (ARC_FIELDS.has(field))
      this.#edit(
        spec,
        field,
        edit,
        items(() => this.#arc()),
      );
    else if (PATH_FIELDS.has(field))
      this.#edit(
        spec,
        field,
        edit,
        items(() => scanner.path()),
      );
    else if (field === 'relocates') spec.values.set(field, this.#relocates());
    else if (field === 'apiSchemas' || field === 'variantSetNames')
      this.#edit(
        spec,
        field,
        edit,
        items(() => scanner.string()),
      );
    else if (edit !== undefined)
      this.#edit(
        spec,
        field,
        edit,
        this.#values.list(() => String(this.#values.any())),
      );
    else {
      const value = this.#values.any();
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
    this.#values.block(() => {
      const source = scanner.path();
      scanner.expect(':');
      relocates[source] = scanner.path();
      scanner.take(',');
    });
    return relocates;
  }
}
