/*
 * Ids, paths and digest lines sort by their UTF-8 bytes, which is the order of code points. JavaScript compares
 * UTF-16 units instead; the two differ only where surrogates meet units from U+E000 on.
 */

const SURROGATE = /[\ud800-\udfff]/;

/** Compares two strings by their UTF-8 bytes: negative, zero or positive. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return codePointRank(left) - codePointRank(right);
  }
  return a.length - b.length;
}

/** Returns a copy sorted by UTF-8 bytes. */
export function sortedByUtf8(values: Iterable<string>): string[] {
  const list = [...values];
  // Without surrogates both orders agree, and the engine's own comparison is several times faster.
  return list.some((value) => SURROGATE.test(value)) ? list.sort(compareUtf8) : list.sort();
}

/** Returns the length of a string in UTF-8 bytes; a lone surrogate counts as three, like its replacement. */
export function utf8Length(value: string): number {
  let bytes = value.length;
  for (let at = 0; at < value.length; at++) {
    const unit = value.charCodeAt(at);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (isHighSurrogate(unit) && isLowSurrogate(value.charCodeAt(at + 1))) {
      bytes += 2;
      at++;
    } else bytes += 2;
  }
  return bytes;
}

/** Ranks surrogates after every other unit, like the code points that they encode. */
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
