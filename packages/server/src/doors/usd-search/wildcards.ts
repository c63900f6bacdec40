/*
 * Patterns with `*` for any characters and `?` for one, in any letter case. They come from strangers, so no regular
 * expression is made of them: each part of a pattern is looked for once.
 */

/** Returns whether a text is as a pattern says. */
export function wildcard(pattern: string): (text: string) => boolean {
  const [first = '', ...rest] = pattern.toLowerCase().split(/\*+/);
  const last = rest.pop();
  return (text) => {
    const lower = text.toLowerCase();
    if (last === undefined) return lower.length === first.length && isAt(lower, first, 0);
    if (!isAt(lower, first, 0)) return false;
    let from = first.length;
    for (const part of rest) {
      const at = find(lower, part, from);
      if (at < 0) return false;
      from = at + part.length;
    }
    return lower.length - last.length >= from && isAt(lower, last, lower.length - last.length);
  };
}

/**
 * Returns whether a text matches patterns, of which `,` separates alternatives, and `;` what must all match.
 * @param shape what becomes of each pattern
 */
export function anyPattern(
  patterns: string,
  shape = (pattern: string) => pattern,
): (text: string) => boolean {
  const all = patterns.split(';').map((some) => some.split(',').map((one) => wildcard(shape(one.trim()))));
  return (text) => all.every((some) => some.some((matches) => matches(text)));
}

function find(text: string, part: string, from: number): number {
  if (!part.includes('?')) return text.indexOf(part, from);
  for (let at = from; at + part.length <= text.length; at++) if (isAt(text, part, at)) return at;
  return -1;
}

function isAt(text: string, part: string, at: number): boolean {
  if (!part.includes('?')) return text.startsWith(part, at);
  if (at + part.length > text.length) return false;
  for (let place = 0; place < part.length; place++)
    if (part[place] !== '?' && part[place] !== text[at + place]) return false;
  return true;
}
