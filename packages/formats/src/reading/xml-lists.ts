import { decodeXml } from '../files/xml.ts';
import { Unrenderable } from './errors.ts';
import type { Budget } from './limits.ts';
import { parseXml, type XmlElement } from './xml-elements.ts';

/** A document, with the text of the long lists in it apart. */
export interface ListedDocument {
  readonly root: XmlElement;
  /** What is inside of a list, whose element is empty. */
  textOf(list: XmlElement | undefined): string;
}

/**
 * Reads a document in which a mesh of a million triangles has more elements than a document may have: lists are cut out
 * of the text. `lists` matches their opening tags, with the groups name, attributes, and the slash of an empty element.
 *
 * @throws Unrenderable for a list without an end
 */
export function parseXmlLists(bytes: Uint8Array, lists: RegExp, budget: Budget): ListedDocument {
  const text = decodeXml(bytes);
  const cut: string[] = [];
  let skeleton = '';
  let done = 0;
  for (const { 0: tag, 1: name = '', 2: attributes = '', 3: slash, index } of text.matchAll(lists)) {
    if (slash !== '' || index < done) continue;
    const end = text.indexOf(`</${name}`, index);
    if (end < 0) throw new Unrenderable(`it ends inside its <${name}>`);
    skeleton += `${text.slice(done, index)}<${name}${attributes} list="${cut.length}">`;
    cut.push(text.slice(index + tag.length, end));
    done = end;
  }
  const root = parseXml(new TextEncoder().encode(skeleton + text.slice(done)), budget);
  return { root, textOf: (list) => cut[Number(list?.attributes.list ?? -1)] ?? '' };
}
