import { zipSync } from 'fflate';
import { readTextLayer } from '../packages/formats/src/usd/stage/text-layer.ts';
import {
  type Arc,
  type Field,
  isAsset,
  ListEdits,
  type PrimSpec,
  type Spec,
} from '../packages/formats/src/usd/stage/values.ts';

const VERSION = [0, 8, 0];
const [ATTRIBUTE, PRIM, ROOT, RELATIONSHIP] = [1, 6, 7, 8];
const IS_ARRAY = 1n << 63n;
const IS_INLINE = 1n << 62n;
const LEAF = -2;

/** Writes a layer of text as a crate: prims without variants; names, texts, numbers, vectors of floats, paths to files, references and targets. */
export function usdCrate(text: string): Uint8Array {
  const { root, subLayers } = readTextLayer(new TextEncoder().encode(`#usda 1.0\n${text}`), 'crate.usda');
  return new CrateWriter().written(root, subLayers);
}

class CrateWriter {
  readonly #tokens = new Map<string, number>([['', 0]]);
  readonly #paths: { part: string; isProperty: boolean; parent: number }[] = [];
  readonly #pathNumbers = new Map<string, number>();
  readonly #specs: { path: number; set: number; type: number }[] = [];
  readonly #fields: { name: number; value: bigint }[] = [];
  readonly #sets: number[] = [];
  readonly #bytes: number[] = Array(88).fill(0);

  written(root: PrimSpec, subLayers: readonly Arc[]): Uint8Array {
    this.#path('/', -1, false);
    this.#addPaths(root, '', 0);
    const own = this.#said(root);
    if (subLayers.length > 0)
      own.push([
        'subLayers',
        this.#stored(50, () => this.#list(subLayers, ({ asset }) => this.#uint32(this.#token(asset)))),
      ]);
    this.#spec(0, ROOT as number, [...own, this.#names('primChildren', root.children)]);
    this.#addPrims(root, '');
    const sections: [string, () => void][] = [
      ['TOKENS', () => this.#writeTokens()],
      ['STRINGS', () => this.#list([...this.#tokens.values()], (token) => this.#uint32(token))],
      ['FIELDS', () => this.#writeFields()],
      ['FIELDSETS', () => this.#integers(this.#sets, true)],
      ['PATHS', () => this.#writePaths()],
      ['SPECS', () => this.#writeSpecs()],
    ];
    const places = sections.map(([name, write]) => {
      const start = this.#bytes.length;
      write();
      return { name, start, size: this.#bytes.length - start };
    });
    const contents = this.#bytes.length;
    this.#list(places, ({ name, start, size }) => {
      this.#bytes.push(...new TextEncoder().encode(name.padEnd(16, '\0')));
      this.#uint64(start);
      this.#uint64(size);
    });
    const bytes = Uint8Array.from(this.#bytes);
    bytes.set(new TextEncoder().encode('PXR-USDC'));
    bytes.set(VERSION, 8);
    new DataView(bytes.buffer).setBigInt64(16, BigInt(contents), true);
    return bytes;
  }

  #addPaths(parent: PrimSpec, path: string, number: number): void {
    for (const [name, prim] of parent.children) {
      const own = this.#path(`${path}/${name}`, number, false);
      for (const property of prim.properties.keys()) this.#path(`${path}/${name}.${property}`, own, true);
      this.#addPaths(prim, `${path}/${name}`, own);
    }
  }

  #addPrims(parent: PrimSpec, path: string): void {
    const numberOf = (one: string) => this.#pathNumbers.get(one) ?? 0;
    for (const [name, prim] of parent.children) {
      const own = `${path}/${name}`;
      this.#spec(numberOf(own), PRIM as number, [
        ...this.#said(prim),
        this.#names('primChildren', prim.children),
        this.#names('properties', prim.properties),
      ]);
      for (const [property, spec] of prim.properties) {
        const type = spec.get('isRelationship') === true ? RELATIONSHIP : ATTRIBUTE;
        this.#spec(numberOf(`${own}.${property}`), type as number, this.#said(spec));
      }
      this.#addPrims(prim, own);
    }
  }

  #said(spec: Spec): [string, bigint][] {
    const fields = [...spec.fields].filter((field) => field !== 'isRelationship');
    return fields.map((field) => [field, this.#value(field, spec.get(field))]);
  }

  #names(field: string, named: ReadonlyMap<string, unknown>): [string, bigint] {
    const names = [...named.keys()];
    return [field, this.#stored(41, () => this.#list(names, (name) => this.#uint32(this.#token(name))))];
  }

  #value(field: string, value: Field | undefined): bigint {
    if (field === 'specifier') return this.#inline(42, ['def', 'over', 'class'].indexOf(String(value)));
    if (field === 'variability') return this.#inline(44, 1);
    if (typeof value === 'string') return this.#inline(11, this.#token(value));
    if (typeof value === 'boolean') return this.#inline(1, value ? 1 : 0);
    if (typeof value === 'number') return this.#stored(9, () => this.#double(value));
    if (isAsset(value)) return this.#inline(12, this.#token(value.asset));
    if (value instanceof Float32Array)
      return this.#stored(24, () => this.#list([...value], (number) => this.#float(number), 3)) | IS_ARRAY;
    if (value instanceof Int32Array)
      return this.#stored(3, () => this.#list([...value], (number) => this.#uint32(number))) | IS_ARRAY;
    if (value instanceof ListEdits) return this.#edits(field, value as ListEdits<string | Arc>);
    if (Array.isArray(value) && typeof value[0] === 'string')
      return this.#edits(field, new ListEdits(value as string[]));
    throw new Error(`${field} has a value that is not written: ${JSON.stringify(value)}`);
  }

  #edits(field: string, { explicit, prepended }: ListEdits<string | Arc>): bigint {
    const type = {
      references: 35,
      payload: 55,
      apiSchemas: 32,
      inheritPaths: 34,
      targetPaths: 34,
      connectionPaths: 34,
    }[field];
    if (type === undefined) throw new Error(`${field} is not written`);
    return this.#stored(type, () => {
      this.#bytes.push(explicit ? 3 : 32);
      this.#list(explicit ?? prepended, (item) => {
        if (typeof item === 'string')
          this.#uint32(type === 32 ? this.#token(item) : (this.#pathNumbers.get(item) ?? 0));
        else this.#arc(item, type === 35);
      });
    });
  }

  #arc({ asset, offset, scale }: Arc, hasMetadata: boolean): void {
    this.#uint32(this.#token(asset));
    // No path: the default prim.
    this.#uint32(0xffffffff);
    this.#double(offset);
    this.#double(scale);
    if (hasMetadata) this.#uint64(0);
  }

  #inline(type: number, payload: number): bigint {
    return (BigInt(type) << 48n) | IS_INLINE | BigInt(payload);
  }

  #stored(type: number, write: () => void): bigint {
    const at = this.#bytes.length;
    write();
    return (BigInt(type) << 48n) | BigInt(at);
  }

  #token(text: string): number {
    const number = this.#tokens.get(text) ?? this.#tokens.size;
    this.#tokens.set(text, number);
    return number;
  }

  #path(path: string, parent: number, isProperty: boolean): number {
    const part = path.slice(path.lastIndexOf(isProperty ? '.' : '/') + 1);
    this.#token(part);
    this.#paths.push({ part, isProperty, parent });
    this.#pathNumbers.set(path, this.#paths.length - 1);
    return this.#paths.length - 1;
  }

  #spec(path: number, type: number, fields: [string, bigint][]): void {
    this.#specs.push({ path, set: this.#sets.length, type });
    for (const [name, value] of fields) {
      this.#sets.push(this.#fields.length);
      this.#fields.push({ name: this.#token(name), value });
    }
    this.#sets.push(-1);
  }

  #writeTokens(): void {
    const text = new TextEncoder().encode(`${[...this.#tokens.keys()].join('\0')}\0`);
    this.#uint64(this.#tokens.size);
    this.#uint64(text.length);
    this.#packed([...text]);
  }

  #writeFields(): void {
    this.#integers(
      this.#fields.map(({ name }) => name),
      true,
    );
    const values = new BigUint64Array(this.#fields.map(({ value }) => value));
    this.#packed([...new Uint8Array(values.buffer)]);
  }

  #writePaths(): void {
    // Paths are written before what is in them: a sibling is as far on as all of that is long.
    const order: number[] = [];
    const jumps: number[] = [];
    const visit = (path: number, hasSibling: boolean) => {
      const at = order.push(path) - 1;
      const inside = this.#paths.flatMap(({ parent }, number) => (parent === path ? [number] : []));
      for (const [index, child] of inside.entries()) visit(child, index < inside.length - 1);
      jumps[at] = inside.length === 0 ? (hasSibling ? 0 : LEAF) : hasSibling ? order.length - at : -1;
    };
    visit(0, false);
    this.#uint64(this.#paths.length);
    this.#uint64(this.#paths.length);
    this.#integers(order);
    this.#integers(
      order.map((path) => {
        const { part, isProperty } = this.#paths[path] as { part: string; isProperty: boolean };
        return isProperty ? -this.#token(part) : this.#token(part);
      }),
    );
    this.#integers(jumps);
  }

  #writeSpecs(): void {
    this.#uint64(this.#specs.length);
    this.#integers(this.#specs.map(({ path }) => path));
    this.#integers(this.#specs.map(({ set }) => set));
    this.#integers(this.#specs.map(({ type }) => type));
  }

  /** Writes every difference in four bytes. */
  #integers(numbers: readonly number[], isCounted = false): void {
    if (isCounted) this.#uint64(numbers.length);
    const coded = [...Array(4).fill(0), ...Array(Math.ceil(numbers.length / 4)).fill(255)];
    const differences = Int32Array.from(numbers, (number, at) => number - (numbers[at - 1] ?? 0));
    this.#packed([...coded, ...new Uint8Array(differences.buffer)]);
  }

  /** Writes a block of LZ4 that has nothing but literals. */
  #packed(bytes: readonly number[]): void {
    const block = [0];
    if (bytes.length < 15) block.push(bytes.length << 4);
    else {
      block.push(0xf0);
      let left = bytes.length - 15;
      for (; left >= 255; left -= 255) block.push(255);
      block.push(left);
    }
    this.#uint64(block.length + bytes.length);
    this.#bytes.push(...block, ...bytes);
  }

  #list<Item>(items: readonly Item[], write: (item: Item) => void, size = 1): void {
    this.#uint64(items.length / size);
    items.forEach(write);
  }

  #uint32(value: number): void {
    this.#bytes.push(...new Uint8Array(Uint32Array.of(value).buffer));
  }

  #uint64(value: number): void {
    this.#bytes.push(...new Uint8Array(BigUint64Array.of(BigInt(value)).buffer));
  }

  #float(value: number): void {
    this.#bytes.push(...new Uint8Array(Float32Array.of(value).buffer));
  }

  #double(value: number): void {
    this.#bytes.push(...new Uint8Array(Float64Array.of(value).buffer));
  }
}

/** Writes files into an archive as USD wants them, not compressed. */
export function usdArchive(files: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  const entries = Object.entries(files).map(
    ([path, content]) =>
      [path, typeof content === 'string' ? new TextEncoder().encode(content) : content] as const,
  );
  return zipSync(Object.fromEntries(entries), { level: 0 });
}
