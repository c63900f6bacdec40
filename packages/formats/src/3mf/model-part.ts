import { decodeXml } from '../files/xml.ts';
import type { Budget } from '../reading/limits.ts';
import { parseXml, type XmlElement } from '../reading/xml-elements.ts';

/** An XML part of a 3MF package: its elements, with the long lists among them apart. */
export interface ModelPart {
  readonly root: XmlElement;
  /** Objects and groups of properties by their number. */
  readonly resources: ReadonlyMap<string, XmlElement>;
  /** The rows of a list: the attributes of its elements. */
  rows(list: XmlElement | undefined): readonly Row[];
}

export type Row = Readonly<Record<string, string>>;

/** Elements with many of one kind inside. */
const LISTS = /<((?:\w+:)?(?:vertices|triangles|beams|texture2dgroup|colorgroup))\b([^<>]*?)(\/?)>/g;

/**
 * Reads a model part. A mesh of a million triangles has more elements than a document may: lists are cut out of the text,
 * and read row by row.
 */
export function readModelPart(bytes: Uint8Array, budget: Budget): ModelPart {
  const text = decodeXml(bytes);
  const lists: string[] = [];
  let skeleton = '';
  let done = 0;
  LISTS.lastIndex = 0;
  for (let match = LISTS.exec(text); match !== null; match = LISTS.exec(text)) {
    const [all, name = '', attributes = '', isEmpty = ''] = match;
    const end = isEmpty === '' ? text.indexOf(`</${name}`, LISTS.lastIndex) : -1;
    if (isEmpty === '' && end < 0) break;
    skeleton += `${text.slice(done, match.index)}<${name}${attributes} list="${lists.length}">`;
    lists.push(isEmpty === '' ? text.slice(match.index + all.length, end) : '');
    if (isEmpty === '') done = end;
    else {
      skeleton += `</${name}>`;
      done = LISTS.lastIndex;
    }
    LISTS.lastIndex = done;
  }
  const root = parseXml(new TextEncoder().encode(skeleton + text.slice(done)), budget);
  const resources = root.children.find(({ name }) => plain(name) === 'resources')?.children ?? [];
  return {
    root,
    resources: new Map(resources.map((one) => [one.attributes.id ?? '', one])),
    rows: (list) => rowsIn(lists[Number(list?.attributes.list)] ?? '', budget),
  };
}

const ROW = /<[\w:]+\s([^<>]*?)\/?>/g;
const ATTRIBUTE = /(?<![\w:])([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

function rowsIn(list: string, budget: Budget): Row[] {
  const rows: Row[] = [];
  for (const [, attributes = ''] of list.matchAll(ROW)) {
    const row: Record<string, string> = {};
    for (const [, name = '', quoted, single] of attributes.matchAll(ATTRIBUTE))
      row[name] = quoted ?? single ?? '';
    rows.push(row);
  }
  budget.spend('vertices', rows.length);
  return rows;
}

/** A name without the prefix of its extension. */
export function plain(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

export function child(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((one) => plain(one.name) === name);
}

export function childrenOf(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.children.filter((one) => plain(one.name) === name) ?? [];
}
