import type { Budget } from '../reading/limits.ts';
import type { XmlElement } from '../reading/xml-elements.ts';
import { parseXmlLists } from '../reading/xml-lists.ts';

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

export function readModelPart(bytes: Uint8Array, budget: Budget): ModelPart {
  const { root, textOf } = parseXmlLists(bytes, LISTS, budget);
  const resources = root.children.find(({ name }) => plain(name) === 'resources')?.children ?? [];
  return {
    root,
    resources: new Map(resources.map((one) => [one.attributes.id ?? '', one])),
    rows: (list) => rowsIn(textOf(list), budget),
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
