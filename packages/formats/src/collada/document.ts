import { Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import { childNamed, parseXml, type XmlElement } from '../reading/xml-elements.ts';

/** A COLLADA document, with its elements by id. */
export class ColladaDocument {
  readonly root: XmlElement;
  readonly #byId = new Map<string, XmlElement>();

  /** @throws Unrenderable when the bytes are not a COLLADA document. */
  constructor(bytes: Uint8Array, budget: Budget) {
    this.root = parseXml(bytes, budget);
    if (this.root.name !== 'COLLADA') {
      throw new Unrenderable('not a COLLADA file: the root element is not <COLLADA>');
    }
    this.#index(this.root);
  }

  /** The element with this name and the id in `#id`; undefined if there is none, or for other documents' addresses. */
  find(name: string, address: string | undefined): XmlElement | undefined {
    return address?.startsWith('#') ? this.#byId.get(`${name} ${address.slice(1)}`) : undefined;
  }

  /** Metres per unit of length; 1 if the file does not say. */
  get metersPerUnit(): number {
    const meters = Number(childNamed(this.#asset, 'unit')?.attributes.meter);
    return meters > 0 && meters < Infinity ? meters : 1;
  }

  /** The axis that points up if the file is shown on its own; Y if the file does not say. */
  get upAxis(): 'x' | 'y' | 'z' {
    switch (childNamed(this.#asset, 'up_axis')?.text) {
      case 'X_UP':
        return 'x';
      case 'Z_UP':
        return 'z';
      default:
        return 'y';
    }
  }

  get #asset(): XmlElement | undefined {
    return childNamed(this.root, 'asset');
  }

  #index(element: XmlElement): void {
    const { id } = element.attributes;
    const key = `${element.name} ${id}`;
    if (id !== undefined && !this.#byId.has(key)) this.#byId.set(key, element);
    for (const child of element.children) this.#index(child);
  }
}

/**
 * Fills `out` with the numbers of a list and returns how many it read. A word that is not a number is read as 0, so
 * that the following ones keep their positions.
 */
export function readNumbers(text: string, out: Float32Array | Float64Array | Int32Array): number {
  let count = 0;
  for (let at = 0; at < text.length && count < out.length; ) {
    while (isSpace(text, at)) at++;
    let end = at;
    while (end < text.length && !isSpace(text, end)) end++;
    if (end > at) {
      const value = Number(text.slice(at, end));
      out[count++] = Number.isFinite(value) ? value : 0;
    }
    at = end;
  }
  return count;
}

/** Upper bound for the numbers in a list: each takes a character, and one more to separate it from the next. */
export function mostNumbers(text: string): number {
  return (text.length + 1) >> 1;
}

/** The first numbers of a list, filled up from `fallback` if it is shorter. */
export function firstNumbers<T extends readonly number[]>(
  text: string | undefined,
  fallback: T,
): { [K in keyof T]: number } {
  const out = new Float64Array(fallback.length);
  const count = readNumbers(text ?? '', out);
  return fallback.map((value, index) => (index < count ? out[index] : value)) as { [K in keyof T]: number };
}

function isSpace(text: string, at: number): boolean {
  return text.charCodeAt(at) <= 32;
}
