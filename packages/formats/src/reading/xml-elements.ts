import { parseXml as parse, type XmlElement } from '../files/xml.ts';
import { readable } from './errors.ts';
import type { Budget } from './limits.ts';

export type { XmlElement } from '../files/xml.ts';

/** Parses a document within a budget and returns its root element. */
export function parseXml(bytes: Uint8Array, budget: Budget): XmlElement {
  return readable(() =>
    parse(bytes, (depth) => {
      budget.spend('nodes', 1);
      budget.checkDepth(depth);
    }),
  );
}

interface Nested<Element> {
  readonly name: string;
  readonly children: readonly Element[];
}

export function childrenNamed<Element extends Nested<Element>>(element: Element, name: string): Element[] {
  return element.children.filter((child) => child.name === name);
}

export function childNamed<Element extends Nested<Element>>(
  element: Element | undefined,
  name: string,
): Element | undefined {
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
