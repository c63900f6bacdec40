import { parseXml as parse, UnreadableFileError, type XmlElement } from '@bindery/formats';
import { Unrenderable } from '../errors.ts';
import { toMessageText } from '../files.ts';
import type { Budget } from '../limits.ts';

export type { XmlElement } from '@bindery/formats';

/** Parses a document within a budget and returns its root element. */
export function parseXml(bytes: Uint8Array, budget: Budget): XmlElement {
  try {
    return parse(bytes, (depth) => {
      budget.spend('nodes', 1);
      budget.checkDepth(depth);
    });
  } catch (error) {
    throw asUnrenderable(error);
  }
}

/** What a reader of formats throws, as loaders throw it. */
export function asUnrenderable(error: unknown): unknown {
  return error instanceof UnreadableFileError ? new Unrenderable(toMessageText(error.message)) : error;
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
