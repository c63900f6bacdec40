import { decodeXml } from '../files/xml.ts';
import { AssetFiles } from '../reading/asset-files.ts';
import { Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import { childNamed, childrenNamed, parseXml, type XmlElement } from '../reading/xml-elements.ts';
import { openZip } from '../reading/zip.ts';

/** A document, with the long lists in it apart: a mesh has more elements than a document may. */
export interface AmfDocument {
  readonly root: XmlElement;
  /** The text of a `<vertices>` or `<volume>`, whose element is empty. */
  textOf(list: XmlElement): string;
}

const LIST = /<(vertices|volume)\b([^<>]*?)(\/?)>/g;

/** @throws Unrenderable for what is neither a document nor an archive of one */
export async function readAmf(bytes: Uint8Array, budget: Budget): Promise<AmfDocument> {
  const text = decodeXml(bytes[0] === 0x50 && bytes[1] === 0x4b ? await unpacked(bytes, budget) : bytes);
  const lists: string[] = [];
  let skeleton = '';
  let done = 0;
  for (const { 0: tag, 1: name = '', 2: attributes = '', 3: closed, index } of text.matchAll(LIST)) {
    if (closed !== '' || index < done) continue;
    const end = text.indexOf(`</${name}>`, index);
    if (end < 0) throw new Unrenderable(`the AMF file ends inside its <${name}>`);
    skeleton += `${text.slice(done, index)}<${name}${attributes} list="${lists.length}">`;
    lists.push(text.slice(index + tag.length, end));
    done = end;
  }
  const root = parseXml(new TextEncoder().encode(skeleton + text.slice(done)), budget);
  if (root.name !== 'amf') throw new Unrenderable('the AMF file has no <amf>');
  return { root, textOf: ({ attributes }) => lists[Number(attributes.list ?? -1)] ?? '' };
}

async function unpacked(bytes: Uint8Array, budget: Budget): Promise<Uint8Array> {
  const archive = new AssetFiles(openZip(bytes), budget);
  const [path] = archive.paths;
  if (path === undefined) throw new Unrenderable('the AMF file is an empty archive');
  return archive.read(path);
}

/** The elements with this name by their `id`. */
export function byId(root: XmlElement, name: string): Map<string, XmlElement> {
  return new Map(childrenNamed(root, name).map((element) => [element.attributes.id ?? '', element]));
}

/** The number that a child holds; 0 without it. */
export function numberIn(element: XmlElement | undefined, name: string): number {
  return Number(childNamed(element, name)?.text ?? 0) || 0;
}
