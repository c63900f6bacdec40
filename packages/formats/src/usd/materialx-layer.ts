import { parseXml, type XmlElement } from '../xml.ts';
import { readTextLayer } from './text-layer.ts';
import type { Layer } from './values.ts';

/** How types of MaterialX are written in USD. Inputs of others have no value. */
const TYPES: Readonly<Record<string, string>> = {
  float: 'float',
  integer: 'int',
  boolean: 'bool',
  color3: 'color3f',
  color4: 'color4f',
  vector2: 'float2',
  vector3: 'float3',
  vector4: 'float4',
  string: 'string',
  filename: 'asset',
};
const NAME = /^[A-Za-z_]\w*$/;
const NUMBERS = /^[-+.,\deE\s]+$/;

/** Whether a file begins like a document of MaterialX. */
export function isMaterialX(head: string): boolean {
  return /^(?:\uFEFF|ï»¿)?\s*<(?:\?xml|!--|materi)/.test(head);
}

/**
 * Reads the materials of a MaterialX document as OpenUSD does: below `/MaterialX/Materials`, each with the shaders and the
 * graphs of nodes that it uses. Throws `UnreadableFileError` for other documents.
 */
export function readMaterialXLayer(bytes: Uint8Array, path: string): Layer {
  const document = parseXml(bytes);
  const materials = document.children.filter(({ name }) => name === 'surfacematerial');
  const written = materials.map((material) => new MaterialWriter(document, material).text);
  const text = `#usda 1.0\ndef Scope "MaterialX" {\ndef Scope "Materials" {\n${written.join('')}}\n}\n`;
  return readTextLayer(new TextEncoder().encode(text), path);
}

class MaterialWriter {
  readonly text: string;
  readonly #document: XmlElement;
  readonly #root: string;
  /** Shaders and graphs of the document that are still to be written. */
  readonly #needed = new Set<string>();

  constructor(document: XmlElement, material: XmlElement) {
    this.#document = document;
    const name = material.attributes.name ?? '';
    this.#root = `/MaterialX/Materials/${name}`;
    this.text = NAME.test(name) ? this.#material(name, material) : '';
  }

  #material(name: string, material: XmlElement): string {
    const surface = material.children.find(({ attributes }) => attributes.name === 'surfaceshader');
    const connected = surface && this.#connection(surface, this.#root);
    if (connected === undefined) return '';
    const named = new Map(this.#document.children.map((child) => [child.attributes.name ?? '', child]));
    let body = '';
    // What is written can need more, which is then visited too.
    for (const needed of this.#needed) {
      const element = named.get(needed);
      if (element === undefined) continue;
      body +=
        element.name === 'nodegraph'
          ? this.#graph(needed, element)
          : this.#shader(element, this.#root, this.#document);
    }
    return `def Material "${name}" {\ntoken outputs:mtlx:surface.connect = <${connected}>\n${body}}\n`;
  }

  #graph(name: string, graph: XmlElement): string {
    const place = `${this.#root}/${name}`;
    const lines = graph.children.map((child) => {
      if (child.name === 'input') return this.#input(child, place, graph);
      if (child.name !== 'output') return this.#shader(child, place, graph);
      const connected = this.#connection(child, place);
      const output = child.attributes.name ?? '';
      return connected === undefined || !NAME.test(output)
        ? ''
        : `token outputs:${output}.connect = <${connected}>\n`;
    });
    return `def NodeGraph "${name}" {\n${lines.join('')}}\n`;
  }

  #shader(node: XmlElement, place: string, around: XmlElement): string {
    const { name = '', type = '' } = node.attributes;
    if (!NAME.test(name)) return '';
    const inputs = node.children
      .filter((child) => child.name === 'input')
      .map((input) =>
        this.#input(input, place, { ...around, attributes: { ...around.attributes, ...node.attributes } }),
      );
    return `def Shader "${name}" {\nuniform token info:id = ${JSON.stringify(`ND_${node.name}_${type}`)}\n${inputs.join('')}}\n`;
  }

  #input(input: XmlElement, place: string, around: XmlElement): string {
    const { name = '', type = '' } = input.attributes;
    if (!NAME.test(name)) return '';
    const connected = this.#connection(input, place);
    const written = TYPES[type] ?? 'token';
    if (connected !== undefined) return `${written} inputs:${name}.connect = <${connected}>\n`;
    const value = this.#value(input, around);
    const colorSpace =
      input.attributes.colorspace ?? around.attributes.colorspace ?? this.#document.attributes.colorspace;
    const said =
      type === 'filename' && colorSpace !== undefined ? ` (colorSpace = ${JSON.stringify(colorSpace)})` : '';
    return value === undefined ? '' : `${written} inputs:${name} = ${value}${said}\n`;
  }

  #value({ attributes }: XmlElement, around: XmlElement): string | undefined {
    const { value = '', type = '' } = attributes;
    switch (type) {
      case 'boolean':
        return value === 'true' ? 'true' : 'false';
      case 'string':
        return JSON.stringify(value);
      case 'filename': {
        const prefix =
          attributes.fileprefix ?? around.attributes.fileprefix ?? this.#document.attributes.fileprefix;
        const file = `${prefix ?? ''}${value}`;
        return /[@\n]/.test(file) ? undefined : `@${file}@`;
      }
      default: {
        if (TYPES[type] === undefined || !NUMBERS.test(value)) return undefined;
        const numbers = value.split(',').map((part) => String(Number(part) || 0));
        const width = Number(/\d$/.exec(type)?.[0] ?? 1);
        if (width === 1) return numbers[0];
        // One number stands for all.
        return `(${Array.from({ length: width }, (_, at) => numbers[at] ?? numbers[0]).join(', ')})`;
      }
    }
  }

  /** The path of the output that an element takes its value from, which is then needed too. */
  #connection({ attributes }: XmlElement, place: string): string | undefined {
    const { nodename, nodegraph, interfacename, output = 'out' } = attributes;
    if (![nodename, nodegraph, interfacename, output].every((name) => name === undefined || NAME.test(name)))
      return undefined;
    if (nodegraph !== undefined) {
      this.#needed.add(nodegraph);
      return `${this.#root}/${nodegraph}.outputs:${output}`;
    }
    if (nodename !== undefined) {
      if (place === this.#root) this.#needed.add(nodename);
      return `${place}/${nodename}.outputs:${output}`;
    }
    return interfacename === undefined ? undefined : `${place}.inputs:${interfacename}`;
  }
}
