import { finite } from '../model/kinematics.ts';

/** An element to write. Attributes that are undefined are left out. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, Value>>;
  readonly children: readonly (Element | undefined)[];
  readonly text?: string | undefined;
}

type Value = string | number | readonly number[] | undefined;

export function element(
  name: string,
  attributes: Readonly<Record<string, Value>> = {},
  children: readonly (Element | undefined)[] = [],
): Element {
  return { name, attributes, children };
}

/** An element with a text, numbers with spaces in between. */
export function textElement(
  name: string,
  value: Value,
  attributes: Readonly<Record<string, Value>> = {},
): Element {
  return { name, attributes, children: [], text: textOf(value) };
}

/** A document in UTF-8. Numbers are written such that they are read as the same numbers. */
export function xmlDocument(root: Element): Uint8Array {
  const lines = ['<?xml version="1.0" encoding="utf-8"?>'];
  write(root, '', lines);
  return new TextEncoder().encode(`${lines.join('\n')}\n`);
}

function write({ name, attributes, children, text }: Element, indent: string, lines: string[]): void {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${escaped(textOf(value))}"`],
  );
  const start = `${indent}<${name}${written.join('')}`;
  const inside = children.filter((child) => child !== undefined);
  if (text !== undefined) lines.push(`${start}>${escaped(text)}</${name}>`);
  else if (inside.length === 0) lines.push(`${start}/>`);
  else {
    lines.push(`${start}>`);
    for (const child of inside) write(child, `${indent}  `, lines);
    lines.push(`${indent}</${name}>`);
  }
}

function textOf(value: Value): string {
  if (Array.isArray(value)) return value.map(withoutRounding).join(' ');
  return String((typeof value === 'number' ? finite(value) : value) ?? '');
}

/** Lengths, angles and parts of directions that are what rounding left of 0. */
function withoutRounding(value: number): number {
  return Math.abs(value) < 1e-15 ? 0 : finite(value);
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character).replace(/\p{Cc}/gu, ' ');
}
