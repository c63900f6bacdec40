import type { MacroElement } from './document.ts';

/** A document, and for each of its lines where the element that begins there was written. */
export interface WrittenModel {
  readonly text: string;
  /** Of line 1 at 0; absent for lines that only end an element. */
  readonly places: readonly ({ readonly file: string; readonly line: number } | undefined)[];
}

/** Writes an expanded robot as XML, each element on a line of its own. `comment` is the first line. */
export function writeExpanded(root: MacroElement, comment?: string): WrittenModel {
  const lines: string[] = ['<?xml version="1.0"?>'];
  const places: WrittenModel['places'][number][] = [undefined];
  if (comment !== undefined) {
    lines.push(`<!-- ${comment.replaceAll('--', '- -')} -->`);
    places.push(undefined);
  }
  write(root, '', (line, place) => {
    lines.push(line);
    places.push(place);
  });
  return { text: `${lines.join('\n')}\n`, places };
}

function write(
  { name, attributes, children, text, file, line }: MacroElement,
  indent: string,
  add: (line: string, place?: { file: string; line: number }) => void,
): void {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value, true)}"`);
  const start = `${indent}<${name}${written.join('')}`;
  const place = { file, line };
  if (children.length === 0) {
    add(text === '' ? `${start}/>` : `${start}>${escaped(text)}</${name}>`, place);
    return;
  }
  add(`${start}>${escaped(text)}`, place);
  for (const child of children) write(child, `${indent}  `, add);
  add(`${indent}</${name}>`);
}

function escaped(text: string, isAttribute = false): string {
  const content = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const inAttribute = content.replaceAll('"', '&quot;').replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');
  // A line break in a text would shift the lines.
  return isAttribute ? inAttribute : content.replaceAll('\n', '&#10;');
}
