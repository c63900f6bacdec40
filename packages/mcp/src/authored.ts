/**
 * Puts what authors wrote under the key `authored`, the only place where models receive it: all of it is data.
 * Characters that a person who reads the text does not see, but a model reads, are escaped.
 */
export function authored<T extends object>(values: T): { authored: T } {
  return { authored: escapeHidden(values) as T };
}

/** Returns a value with the hidden characters of all its strings escaped, including keys. */
function escapeHidden(value: unknown): unknown {
  if (typeof value === 'string') return escapeHiddenText(value);
  if (Array.isArray(value)) return value.map(escapeHidden);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [escapeHiddenText(key), escapeHidden(inner)]),
  );
}

/**
 * Characters that are not seen, or only as a space: controls, directions, tags, fillers, and variation selectors, with
 * which any text can be written, except the one that may follow an emoji.
 */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is written out
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb]|\u034f|\u17b4|\u17b5|[\u180b-\u180f]|[\ufe00-\ufe0d]|(?<![\p{Extended_Pictographic}0-9#*])[\ufe0e\ufe0f]|[\u{e0000}-\u{e0fff}]/gu;

export function escapeHiddenText(text: string): string {
  return text.replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** Truncates text to at most `length` characters; an ellipsis stands for the rest. */
export function shortened(text: string | null, length: number): string | null {
  if (text === null) return null;
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}
