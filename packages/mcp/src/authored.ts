/**
 * What authors wrote goes to models under one key, `authored`, and nowhere else: all of it is data. Characters that a
 * person who looks at the text does not see, and a model reads, are written out.
 */
export function authored<T extends object>(values: T): { authored: T } {
  return { authored: visible(values) as T };
}

/** A value with the texts in it, keys included, made visible. */
function visible(value: unknown): unknown {
  if (typeof value === 'string') return visibleText(value);
  if (Array.isArray(value)) return value.map(visible);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [visibleText(key), visible(inner)]));
}

/** Control characters, controls of direction, tag characters and variation selectors that carry hidden text. */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is written out
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;

export function visibleText(text: string): string {
  return text.replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** At most `length` characters; three dots stand for what is missing. */
export function shortened(text: string | null, length: number): string | null {
  if (text === null) return null;
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}
