import { Unrenderable } from '../../errors.ts';
import type { Budget } from '../../limits.ts';
import { childNamed, parseXml, type XmlElement } from '../xml.ts';

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
