import { SaxesParser } from 'saxes';
import { Unrenderable } from '../errors.ts';
import { toMessageText } from '../files.ts';
import type { Budget } from '../limits.ts';

export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Text directly inside the element, trimmed; pieces between children or comments are joined by a space. */
  readonly text: string;
}

interface OpenElement {
  readonly name: string;
  readonly attributes: Record<string, string>;
  readonly children: OpenElement[];
  text: string;
}

/** Parses a document and returns its root element. Entities beyond the five of XML are errors, so nothing expands. */
export function parseXml(bytes: Uint8Array, budget: Budget): XmlElement {
  const open: OpenElement[] = [];
  let root: OpenElement | undefined;
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw new Unrenderable(`not well-formed XML: ${toMessageText(error.message)}`);
  });
  parser.on('opentag', (tag) => {
    budget.spend('nodes', 1);
    budget.checkDepth(open.length);
    const element: OpenElement = { name: tag.name, attributes: tag.attributes, children: [], text: '' };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on('text', (text) => {
    const element = open.at(-1);
    const part = text.trim();
    if (element !== undefined && part !== '') element.text += element.text === '' ? part : ` ${part}`;
  });
  parser.on('closetag', () => {
    open.pop();
  });
  parser.write(new TextDecoder('utf-8').decode(bytes)).close();
  if (root === undefined) throw new Unrenderable('an empty XML document');
  return root;
}

export function childrenNamed(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((child) => child.name === name);
}

export function childNamed(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((child) => child.name === name);
}

/** The numbers of a text, with `fallback` in place of each that is missing or not finite. */
export function numbersOf(text: string | undefined, fallback: readonly number[]): number[] {
  const words = text?.trim().split(/\s+/) ?? [];
  return fallback.map((value, index) => {
    const number = words[index] ? Number(words[index]) : Number.NaN;
    return Number.isFinite(number) ? number : value;
  });
}
