import { Unrenderable } from '../../errors.ts';
import type { Budget } from '../../limits.ts';
import { childNamed, childrenNamed, type XmlElement } from '../xml.ts';
import type { ColladaDocument } from './document.ts';
import { mostNumbers, readNumbers } from './numbers.ts';

/** Rows of an array of numbers: row r begins at `start + r · stride`. */
export interface Source {
  readonly values: Float64Array;
  readonly start: number;
  readonly stride: number;
  readonly count: number;
}

/** The `<source>` elements of a document; each array of numbers is read once, even if several sources share it. */
export class ColladaSources {
  readonly #document: ColladaDocument;
  readonly #budget: Budget;
  readonly #sources = new Map<XmlElement, Source>();
  readonly #own = new Map<XmlElement, ReadonlyMap<string, XmlElement>>();
  readonly #arrays = new Map<XmlElement, Float64Array>();

  constructor(document: ColladaDocument, budget: Budget) {
    this.#document = document;
    this.#budget = budget;
  }

  /**
   * The rows at an address in a mesh; undefined if there is no such source. If several meshes use the same ids, the
   * mesh's own source is meant.
   */
  rows(address: string | undefined, mesh: XmlElement): Source | undefined {
    const element = this.#ownSources(mesh).get(address ?? '') ?? this.#document.find('source', address);
    if (element === undefined) return undefined;
    let source = this.#sources.get(element);
    if (source === undefined) {
      source = this.#read(element);
      this.#sources.set(element, source);
    }
    return source;
  }

  /** The sources inside a mesh, by address. */
  #ownSources(mesh: XmlElement): ReadonlyMap<string, XmlElement> {
    let own = this.#own.get(mesh);
    if (own === undefined) {
      own = new Map(childrenNamed(mesh, 'source').map((source) => [`#${source.attributes.id}`, source]));
      this.#own.set(mesh, own);
    }
    return own;
  }

  #read(element: XmlElement): Source {
    const accessor = childNamed(childNamed(element, 'technique_common'), 'accessor');
    const address = accessor?.attributes.source;
    const array =
      element.children.find(
        ({ name, attributes }) => name === 'float_array' && `#${attributes.id}` === address,
      ) ??
      this.#document.find('float_array', address) ??
      childNamed(element, 'float_array');
    if (accessor === undefined || array === undefined)
      throw new Unrenderable('a COLLADA source without numbers');
    const { count, stride, offset } = accessor.attributes;
    const rows = whole(count ?? '0');
    const [step, start] = [whole(stride ?? '1'), whole(offset ?? '0')];
    this.#budget.spend('vertices', rows);
    const values = this.#array(array);
    if (rows > 0 && start + rows * step > values.length)
      throw new Unrenderable('a COLLADA source is shorter than it says');
    return { values, start, stride: step, count: rows };
  }

  #array(element: XmlElement): Float64Array {
    let values = this.#arrays.get(element);
    if (values === undefined) {
      const room = new Float64Array(mostNumbers(element.text));
      values = room.slice(0, readNumbers(element.text, room));
      this.#arrays.set(element, values);
    }
    return values;
  }
}

function whole(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new Unrenderable('a COLLADA source with an impossible count');
  return value;
}
