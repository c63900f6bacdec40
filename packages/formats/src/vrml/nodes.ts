import type { Reference, ReferenceRole } from '../files/resolve.ts';
import { decodeText } from '../files/text.ts';
import { UnreadableFileError } from '../files/unreadable.ts';
import { named } from '../named.ts';

/** A node of VRML 2 (VRML97). A field is a list: numbers, texts, words like `TRUE`, or nodes. */
export interface VrmlNode {
  readonly type: string;
  readonly name: string | undefined;
  /** The type that the file gives it, if that is one of its own. */
  readonly prototype?: string;
  readonly fields: ReadonlyMap<string, readonly VrmlValue[]>;
}

export type VrmlValue = number | string | VrmlNode | VrmlWord;

/** A word that stands for itself, unlike a text in quotes. */
export interface VrmlWord {
  readonly word: string;
}

/** Stands in a prototype for what its instances say. */
interface Inherited {
  readonly is: string;
}

type Growing = VrmlNode & { readonly fields: Map<string, readonly VrmlValue[]> };

interface Prototype {
  readonly defaults: ReadonlyMap<string, readonly VrmlValue[]>;
  readonly body: VrmlNode | undefined;
}

const MAX_DEPTH = 100;
/** With those that instances of prototypes stand for. */
const MAX_NODES = 500_000;
const HEAD = /^\s*#VRML\s+V(\d)/;
/** Parts for others are written without a head. */
const PART = /^\s*(?:#[^\n]*\n\s*)*(?:DEF|PROTO|Group|Transform|Shape)\s/;

/**
 * Reads a file of VRML 2 and returns its nodes, with names resolved and prototypes replaced by what they stand for.
 * `admit` is called for each node, and may throw. Throws `UnreadableFileError`.
 */
export function readVrml(bytes: Uint8Array, admit: () => void = () => {}): VrmlNode[] {
  const text = decodeText(bytes);
  const [, version = PART.test(text) ? '2' : undefined] = HEAD.exec(text.slice(0, 1_000)) ?? [];
  if (version === undefined) throw new UnreadableFileError('does not begin as VRML does');
  if (version !== '2') throw new UnreadableFileError(`is of version ${version}, and only version 2 is read`);
  return new Reader(text, admit).statements(undefined, 0);
}

/** All nodes below some, each once. */
export function* vrmlNodes(nodes: Iterable<VrmlValue>): Generator<VrmlNode> {
  const seen = new Set<VrmlNode>();
  const pending = [...nodes].filter(isVrmlNode).reverse();
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    yield node;
    for (const values of node.fields.values()) {
      // Long lists are all numbers.
      if (typeof values[0] !== 'number') pending.push(...values.filter(isVrmlNode));
    }
  }
}

export function isVrmlNode(value: VrmlValue | undefined): value is VrmlNode {
  return typeof value === 'object' && 'fields' in value;
}

const TOKEN = /[\s,]*(?:#[^\n]*(?:\n[\s,]*|$))*("[^"\\]*(?:\\[\s\S][^"\\]*)*"|[[\]{}]|[^\s,"#[\]{}]+)/y;
const NUMBER = /^[-+]?(?:0x[\da-f]+|(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?)$/i;
/** Words before a declaration in a script or a prototype. */
const ACCESS = /^(?:field|exposedField|eventIn|eventOut)$/;

class Reader {
  readonly #text: string;
  readonly #admit: () => void;
  readonly #named = new Map<string, VrmlNode>();
  readonly #prototypes = new Map<string, Prototype>();
  readonly #pattern = new RegExp(TOKEN);
  #token: string | undefined;
  #nodes = 0;

  constructor(text: string, admit: () => void) {
    this.#text = text;
    this.#admit = () => {
      if (++this.#nodes > MAX_NODES) throw new UnreadableFileError(`has more than ${MAX_NODES} nodes`);
      admit();
    };
    this.#next();
  }

  /** The nodes up to `end`, or to the end of the file. */
  statements(end: '}' | undefined, depth: number): VrmlNode[] {
    const nodes: VrmlNode[] = [];
    while (this.#token !== end) {
      if (this.#token === undefined) throw cutOff();
      const node = this.#statement(depth);
      if (node !== undefined) nodes.push(node);
    }
    return nodes;
  }

  #next(): string | undefined {
    const token = this.#token;
    const start = this.#pattern.lastIndex;
    const match = this.#pattern.exec(this.#text);
    this.#token = match?.[1];
    // The expression starts anew where it does not match: at the end, or at a text that does not end.
    if (match === null) {
      this.#pattern.lastIndex = this.#text.length;
      if (/[^\s,]/.test(this.#text.slice(start).replace(/#[^\n]*/g, ''))) throw cutOff();
    }
    return token;
  }

  #take(): string {
    const token = this.#next();
    if (token === undefined) throw cutOff();
    return token;
  }

  #expect(wanted: string): void {
    const token = this.#take();
    if (token !== wanted)
      throw new UnreadableFileError(`is not VRML: ${token.slice(0, 40)} in place of ${wanted}`);
  }

  #statement(depth: number): VrmlNode | undefined {
    switch (this.#token) {
      case 'PROTO':
        this.#prototype(depth);
        return undefined;
      case 'EXTERNPROTO':
        for (let token = this.#take(); token !== ']'; token = this.#take());
        this.#value(depth);
        return undefined;
      case 'ROUTE':
        for (let k = 0; k < 4; k++) this.#take();
        return undefined;
      default: {
        const [node] = this.#value(depth);
        if (node !== undefined && !isVrmlNode(node)) throw new UnreadableFileError('is not VRML');
        return node;
      }
    }
  }

  #prototype(depth: number): void {
    this.#expect('PROTO');
    const name = this.#take();
    this.#expect('[');
    const defaults = new Map<string, readonly VrmlValue[]>();
    while (this.#token !== ']') this.#declaration(defaults, depth);
    this.#expect(']');
    this.#expect('{');
    const [body] = this.statements('}', depth + 1);
    this.#expect('}');
    this.#prototypes.set(name, { defaults, body });
  }

  #declaration(fields: Map<string, readonly VrmlValue[]>, depth: number): void {
    const access = this.#take();
    if (!ACCESS.test(access))
      throw new UnreadableFileError(`is not VRML: ${access.slice(0, 40)} in a prototype`);
    this.#take();
    const name = this.#take();
    if (this.#token === 'IS') fields.set(name, this.#value(depth));
    else if (access === 'field' || access === 'exposedField') fields.set(name, this.#value(depth));
  }

  /** The value of a field: numbers, a text, a word, a node, or a list of these in brackets. */
  #value(depth: number): readonly VrmlValue[] {
    if (depth > MAX_DEPTH) throw new UnreadableFileError(`is nested deeper than ${MAX_DEPTH} levels`);
    const first = this.#take();
    if (first === '[') {
      const list: VrmlValue[] = [];
      while (this.#token !== ']') {
        const token = this.#take();
        if (NUMBER.test(token)) list.push(Number(token));
        else list.push(...this.#single(token, depth));
      }
      this.#take();
      return list;
    }
    if (!NUMBER.test(first)) return this.#single(first, depth);
    const numbers = [Number(first)];
    while (this.#token !== undefined && NUMBER.test(this.#token)) numbers.push(Number(this.#next()));
    return numbers;
  }

  #single(token: string, depth: number): VrmlValue[] {
    if (token.startsWith('"')) return [token.slice(1, -1).replace(/\\(.)/g, '$1')];
    switch (token) {
      case 'NULL':
        return [];
      case 'IS':
        return [{ is: this.#take() } as unknown as VrmlWord];
      case 'USE': {
        const used = this.#named.get(this.#take());
        return used === undefined ? [] : [used];
      }
      case 'DEF': {
        const name = this.#take();
        return [this.#node(this.#take(), name, depth)];
      }
      default:
        return this.#token === '{' ? [this.#node(token, undefined, depth)] : [{ word: token }];
    }
  }

  #node(type: string, name: string | undefined, depth: number): VrmlNode {
    this.#admit();
    this.#expect('{');
    const node: Growing = { type, name, fields: new Map() };
    while (this.#token !== '}') {
      if (this.#token === 'ROUTE' || this.#token === 'PROTO' || this.#token === 'EXTERNPROTO')
        this.#statement(depth + 1);
      else if (this.#token !== undefined && ACCESS.test(this.#token))
        this.#declaration(node.fields, depth + 1);
      else node.fields.set(this.#take(), this.#value(depth + 1));
    }
    this.#take();
    const prototype = this.#prototypes.get(type);
    const stands = prototype === undefined ? node : this.#instance(prototype, node, new Map());
    // A node can only be used once it is complete, so that none contains itself.
    if (name !== undefined) this.#named.set(name, stands);
    return stands;
  }

  /** What an instance of a prototype stands for; the instance keeps its type as a group where there is nothing. */
  #instance({ defaults, body }: Prototype, own: VrmlNode, copies: Map<VrmlNode, VrmlNode>): VrmlNode {
    const copy = (node: VrmlNode): VrmlNode => {
      const known = copies.get(node);
      if (known !== undefined) return known;
      this.#admit();
      const made: Growing = { type: node.type, name: node.name ?? own.name, fields: new Map() };
      copies.set(node, made);
      for (const [field, values] of node.fields) made.fields.set(field, filled(values));
      return made;
    };
    const filled = (values: readonly VrmlValue[]): readonly VrmlValue[] => {
      if (typeof values[0] === 'number') return values;
      return values.flatMap((value) => {
        if (isVrmlNode(value)) return copy(value);
        const { is } = value as unknown as Partial<Inherited>;
        return is === undefined ? value : (own.fields.get(is) ?? defaults.get(is) ?? []);
      });
    };
    if (body === undefined) return own;
    return { ...copy(body), name: own.name, prototype: own.type };
  }
}

function cutOff(): UnreadableFileError {
  return new UnreadableFileError('is cut off or damaged');
}

/** The files that nodes refer to: pictures and other parts. Of several addresses the first is meant. */
export function vrmlReferences(nodes: readonly VrmlNode[]): Reference[] {
  return [...vrmlNodes(nodes)].flatMap(({ type, fields }): Reference[] => {
    const role = REFERRING[type];
    const [url] = fields.get('url') ?? [];
    return role !== undefined && typeof url === 'string' && url !== '' ? [{ text: url, role }] : [];
  });
}

const REFERRING: Readonly<Record<string, ReferenceRole>> = named({ ImageTexture: 'texture', Inline: 'mesh' });
