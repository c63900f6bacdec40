import { ByteCursor, type ByteSource } from './byte-cursor.ts';
import { unpack } from './compression.ts';

const HEAD_BYTES = 88;
const MAX_SECTIONS = 64;
/** How many bytes LZ4 can make of one. */
const MAX_EXPANSION = 255;
/** Small files can say that they have many entries, which take memory: no real ones have as many for each of their bytes. */
const MAX_ENTRIES_PER_BYTE = 64;
const MAX_ENTRIES = 20_000_000;
const MAX_TOKEN_BYTES = 128 * 1024 * 1024;
const HAS_CHILD = 1;
const HAS_SIBLING = 2;
const IS_PROPERTY = 4;
export const NO_PATH = -1;

/** The tables of a crate: what its values and its prims refer to by numbers. Crates are little-endian. */
export class CrateTables {
  readonly source: ByteSource;
  /** The path of the file. */
  readonly path: string;
  readonly #version: readonly number[];
  readonly #sections = new Map<string, { start: number; size: number }>();
  readonly #tokens: readonly string[];
  readonly #strings: Uint32Array;
  /** For each path that of the prim or property it is in, the token of its last part, and whether that is a property. */
  readonly parents: Int32Array;
  readonly parts: Int32Array;
  readonly areProperties: Uint8Array;

  constructor(source: ByteSource, path: string) {
    this.source = source;
    this.path = path;
    const head = new ByteCursor(source, 8);
    if (source.size < HEAD_BYTES) head.fail('it ends within its head');
    this.#version = [...head.bytes(3)];
    if (this.#version[0] !== 0) head.fail(`its version ${this.#version.join('.')} is unknown`);
    head.at = 16;
    head.at = head.int64();
    const sections = head.count(32);
    if (sections > MAX_SECTIONS) head.fail('it has too many sections');
    for (let left = sections; left > 0; left--) {
      const name = new TextDecoder('latin1').decode(head.bytes(16)).replace(/\0.*$/s, '');
      this.#sections.set(name, { start: head.int64(), size: head.int64() });
    }
    this.#tokens = this.#readTokens();
    this.#strings = this.#readStrings();
    const cursor = this.section('PATHS');
    const count = this.entries(cursor);
    this.parents = new Int32Array(count).fill(NO_PATH);
    this.parts = new Int32Array(count);
    this.areProperties = new Uint8Array(count);
    if (this.isAtLeast(4)) this.#readPaths(cursor);
    else this.#readPathItems(cursor);
  }

  isAtLeast(minor: number): boolean {
    return (this.#version[1] ?? 0) >= minor;
  }

  /** Whether it is of the first version, whose structures are padded. */
  get isPadded(): boolean {
    return this.#version[1] === 0 && this.#version[2] === 1;
  }

  section(name: string): ByteCursor {
    const section = this.#sections.get(name);
    if (section === undefined) return new ByteCursor(this.source, 0).fail(`it has no section ${name}`);
    return new ByteCursor(this.source, section.start);
  }

  /** Reads the count of entries of a table. */
  entries(cursor: ByteCursor): number {
    const count = cursor.int64();
    const { size } = this.source;
    if (!(count >= 0 && count <= size * MAX_ENTRIES_PER_BYTE && count <= MAX_ENTRIES))
      cursor.fail('it has less than it says');
    return count;
  }

  readonly token = (index: number): string => {
    return this.#tokens[index] ?? new ByteCursor(this.source, 0).fail('a name is missing');
  };

  readonly string = (index: number): string => this.token(this.#strings[index] ?? -1);

  get tokens(): readonly string[] {
    return this.#tokens;
  }

  /** Returns a path as text; empty for one that is not there. */
  readonly pathOf = (index: number): string => {
    const steps: string[] = [];
    for (let at = index; (this.parents[at] ?? NO_PATH) !== NO_PATH; at = this.parents[at] as number) {
      const part = this.token(this.parts[at] as number);
      const isStep = this.areProperties[at] === 0 && !/^[[{.]/.test(part);
      const isInVariant = isStep && this.isVariant(this.parents[at] as number);
      steps.push(this.areProperties[at] === 1 ? `.${part}` : isStep && !isInVariant ? `/${part}` : part);
    }
    if (steps.length === 0)
      return index < this.parents.length && this.parts.length > 0 && index === this.#rootPath ? '/' : '';
    return steps.reverse().join('');
  };

  #rootPath = -1;

  isVariant(path: number): boolean {
    return (
      (this.parents[path] ?? NO_PATH) !== NO_PATH && this.token(this.parts[path] as number).startsWith('{')
    );
  }

  #readTokens(): readonly string[] {
    const cursor = this.section('TOKENS');
    const count = this.entries(cursor);
    let bytes: Uint8Array;
    if (this.isAtLeast(4)) {
      const size = cursor.int64();
      const packed = cursor.bytes(cursor.int64());
      if (!(size >= 0 && size <= packed.length * MAX_EXPANSION && size <= MAX_TOKEN_BYTES))
        cursor.fail('it has less than it says');
      bytes = unpack(packed, size);
    } else bytes = cursor.bytes(cursor.int64());
    if (count > bytes.length) cursor.fail('it has less than it says');
    const tokens = new TextDecoder().decode(bytes).split('\0', count);
    return tokens;
  }

  #readStrings(): Uint32Array {
    const cursor = this.section('STRINGS');
    const count = cursor.count(4);
    return new Uint32Array(new Uint8Array(cursor.bytes(4 * count)).buffer);
  }

  #readPaths(cursor: ByteCursor): void {
    const count = this.entries(cursor);
    const indexes = cursor.integers(count);
    const parts = cursor.integers(count);
    const jumps = cursor.integers(count);
    // Each place is reached once: a jump leads to a sibling further on, and what is between is inside.
    const pending: (readonly [at: number, parent: number])[] = count === 0 ? [] : [[0, NO_PATH]];
    let visited = 0;
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      let [at, parent] = next;
      for (;;) {
        if (at >= count || ++visited > count) cursor.fail('its paths do not end');
        const jump = jumps[at] as number;
        const index = indexes[at] as number;
        const part = parts[at] as number;
        this.#addPath(cursor, index, parent, Math.abs(part), part < 0);
        if (jump > 0) pending.push([at + jump, parent]);
        if (jump > 0 || jump === -1) parent = index;
        else if (jump !== 0) break;
        at++;
      }
    }
  }

  /** Reads the paths of versions before 0.4, which are a tree. */
  #readPathItems(cursor: ByteCursor): void {
    const pending: (readonly [at: number, parent: number])[] = [[cursor.at, NO_PATH]];
    let visited = 0;
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      let [, parent] = next;
      cursor.at = next[0];
      for (;;) {
        if (++visited > this.parents.length) cursor.fail('its paths do not end');
        if (this.isPadded) cursor.uint32();
        const index = cursor.uint32();
        const part = cursor.uint32();
        const bits = cursor.byte();
        cursor.bytes(3);
        this.#addPath(cursor, index, parent, part, (bits & IS_PROPERTY) !== 0);
        const hasChild = (bits & HAS_CHILD) !== 0;
        const hasSibling = (bits & HAS_SIBLING) !== 0;
        if (hasChild && hasSibling) pending.push([cursor.int64(), parent]);
        if (hasChild) parent = index;
        else if (!hasSibling) break;
      }
    }
  }

  #addPath(cursor: ByteCursor, index: number, parent: number, part: number, isProperty: boolean): void {
    if (index < 0 || index >= this.parents.length || index === parent) cursor.fail('a path is missing');
    if (parent === NO_PATH) this.#rootPath = index;
    // A path that is there twice could be inside of itself.
    if (this.parents[index] !== NO_PATH || (index === this.#rootPath && parent !== NO_PATH))
      cursor.fail('a path is there twice');
    this.parents[index] = parent;
    this.parts[index] = part;
    this.areProperties[index] = isProperty ? 1 : 0;
  }
}
