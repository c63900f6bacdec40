import { UnreadableFileError } from '../../files/unreadable.ts';
import { parseXml, type XmlElement } from '../../files/xml.ts';
import { type Field, type Layer, ListEdits } from './values.ts';
import { WrittenPrim, WrittenSpec } from './written-specs.ts';

/** Materials that share a graph have a copy of it each. */
const MAX_NODES = 50_000;
const ROOT = '/MaterialX/Materials';

/** Reads a MaterialX document as the layer that OpenUSD makes of it: its materials, each with the nodes that it uses. */
export function readMaterialXLayer(bytes: Uint8Array, path: string): Layer {
  const document = parseXml(bytes);
  if (document.name !== 'materialx') throw new UnreadableFileError('is not MaterialX');
  const root = new WrittenPrim();
  const materials = addPrim(addPrim(root, 'MaterialX', ''), 'Materials', 'Scope');
  new MaterialsReader(document, path).addTo(materials);
  return { path, root, subLayers: [] };
}

class MaterialsReader {
  readonly #document: XmlElement;
  readonly #path: string;
  readonly #nodes: ReadonlyMap<string, XmlElement>;
  #count = 0;

  constructor(document: XmlElement, path: string) {
    this.#document = document;
    this.#path = path;
    this.#nodes = named(document);
  }

  addTo(materials: WrittenPrim): void {
    for (const element of this.#document.children) {
      if (element.name !== 'surfacematerial') continue;
      const name = nameOf(element.attributes.name ?? '');
      const material = addPrim(materials, name, 'Material');
      const surface = element.children.find(({ attributes }) => attributes.name === 'surfaceshader');
      const shader = surface?.attributes.nodename;
      if (shader === undefined) continue;
      connect(material, 'outputs:mtlx:surface', `${ROOT}/${name}/${nameOf(shader)}.outputs:out`);
      this.#addUsed(material, `${ROOT}/${name}`, shader);
    }
  }

  /** Adds a node with all nodes and graphs that it uses. */
  #addUsed(material: WrittenPrim, path: string, first: string): void {
    const pending = [first];
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      const element = this.#nodes.get(name);
      if (element === undefined || material.children.has(nameOf(name))) continue;
      if (element.name === 'nodegraph') this.#addGraph(material, path, element);
      else this.#addNode(material, path, element);
      for (const { attributes } of element.children)
        pending.push(...[attributes.nodename, attributes.nodegraph].filter((one) => one !== undefined));
    }
  }

  #addGraph(material: WrittenPrim, path: string, element: XmlElement): void {
    const name = nameOf(element.attributes.name ?? '');
    const graph = addPrim(material, name, 'NodeGraph');
    const own = `${path}/${name}`;
    const prefix = element.attributes.fileprefix ?? this.#document.attributes.fileprefix ?? '';
    for (const child of element.children) {
      if (child.name === 'input') this.#addInput(graph, path, child, prefix);
      else if (child.name === 'output') {
        const { name: output = 'out', nodename = '', output: from = 'out' } = child.attributes;
        connect(graph, `outputs:${output}`, `${own}/${nameOf(nodename)}.outputs:${from}`);
      } else this.#addNode(graph, own, child, prefix);
    }
  }

  #addNode(parent: WrittenPrim, path: string, element: XmlElement, prefix?: string): void {
    if (++this.#count > MAX_NODES) throw new UnreadableFileError(`has more than ${MAX_NODES} nodes`);
    const { name = '', type = '', fileprefix } = element.attributes;
    const node = addPrim(parent, nameOf(name), 'Shader');
    addValue(node, 'info:id', 'token', `ND_${element.name}_${type}`);
    const folder = fileprefix ?? prefix ?? this.#document.attributes.fileprefix ?? '';
    for (const child of element.children)
      if (child.name === 'input') this.#addInput(node, path, child, folder);
  }

  /** Adds an input with its value, or where it comes from among the nodes in `path`. */
  #addInput(prim: WrittenPrim, path: string, { attributes }: XmlElement, prefix: string): void {
    const { name = '', type = '', value, nodename, nodegraph, interfacename, output = 'out' } = attributes;
    const input = `inputs:${name}`;
    if (interfacename !== undefined) connect(prim, input, `${path}.inputs:${interfacename}`);
    else if (nodegraph !== undefined) connect(prim, input, `${path}/${nameOf(nodegraph)}.outputs:${output}`);
    else if (nodename !== undefined) connect(prim, input, `${path}/${nameOf(nodename)}.outputs:${output}`);
    else if (value !== undefined) {
      const isFile = type === 'filename';
      const asset = { asset: prefix + value, layer: this.#path };
      const property = addValue(
        prim,
        input,
        isFile ? 'asset' : type,
        isFile ? asset : valueFrom(type, value),
      );
      if (attributes.colorspace !== undefined) property.values.set('colorSpace', attributes.colorspace);
    }
  }
}

function named({ children }: XmlElement): Map<string, XmlElement> {
  return new Map(children.map((child) => [child.attributes.name ?? '', child]));
}

/** Names of prims have letters, digits and underscores. */
function nameOf(name: string): string {
  return name.replace(/[^\p{L}\p{N}_]/gu, '_');
}

function addPrim(parent: WrittenPrim, name: string, typeName: string): WrittenPrim {
  const prim = new WrittenPrim();
  prim.values.set('specifier', 'def');
  if (typeName !== '') prim.values.set('typeName', typeName);
  parent.children.set(name, prim);
  return prim;
}

function addValue(prim: WrittenPrim, name: string, typeName: string, value: Field): WrittenSpec {
  const property = new WrittenSpec();
  property.values.set('typeName', typeName);
  property.values.set('default', value);
  prim.properties.set(name, property);
  return property;
}

function connect(prim: WrittenPrim, name: string, path: string): void {
  const property = new WrittenSpec();
  property.values.set('connectionPaths', new ListEdits([path]));
  prim.properties.set(name, property);
}

function valueFrom(type: string, value: string): Field {
  if (type === 'boolean') return value.trim() === 'true';
  if (!/^(?:float|integer|color|vector|matrix)/.test(type)) return value;
  const numbers = value
    .split(/[\s,]+/)
    .filter((text) => text !== '')
    .map(Number);
  return type === 'float' || type === 'integer' ? (numbers[0] ?? 0) : numbers;
}
