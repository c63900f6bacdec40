import { AssetFiles } from '../reading/asset-files.ts';
import { Unrenderable } from '../reading/errors.ts';
import type { Budget } from '../reading/limits.ts';
import { childNamed, childrenNamed, type XmlElement } from '../reading/xml-elements.ts';
import { type ListedDocument, parseXmlLists } from '../reading/xml-lists.ts';
import { openZip } from '../reading/zip.ts';

const LISTS = /<(vertices|volume)\b([^<>]*?)(\/?)>/g;

/** A document whose `<vertices>` and `<volume>` are apart. @throws Unrenderable for what is neither one nor an archive of one */
export async function readAmf(bytes: Uint8Array, budget: Budget): Promise<ListedDocument> {
  const isArchive = bytes[0] === 0x50 && bytes[1] === 0x4b;
  const document = parseXmlLists(isArchive ? await unpacked(bytes, budget) : bytes, LISTS, budget);
  if (document.root.name !== 'amf') throw new Unrenderable('the AMF file has no <amf>');
  return document;
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
