/** Number of consecutive words that are hashed together. */
const WORDS = 5;

/**
 * Returns the words of a text for comparison, following the SPDX matching guidelines as far as it matters: without
 * punctuation, markup, clause numbers, and lines and names that only identify the owner.
 */
export function wordsOf(text: string): string[] {
  const body = text
    .toLowerCase()
    .replace(/<!--[\s\S]*?-->/g, ' ')
    .replace(/^[^\p{L}\n]*(?:copyright|©|\(c\)|all rights reserved)[^\n]*$/gmu, ' ')
    .replace(/^[ \t]*(?:[*-]|\d+[.)]|\(?[a-z\d]{1,3}\))[ \t]+/gm, ' ')
    .replace(/https?:\/\/\S+/g, ' ')
    .replace(/copyright[ \t]+owner/g, 'copyright holder')
    .replace(/neither the names? of[^;]{1,200}?nor the names of/g, 'neither the name of nor the names of');
  return body.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Returns distinct 24-bit numbers, one for each run of five words, or one for all of a shorter text. */
export function shinglesOf(words: readonly string[]): Set<number> {
  const shingles = new Set<number>();
  const last = Math.max(0, words.length - WORDS);
  for (let at = 0; at <= last && words.length > 0; at++) {
    shingles.add(hash(words.slice(at, at + WORDS).join(' ')));
  }
  return shingles;
}

/** FNV-1a over UTF-16 units, folded to 24 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  }
  return ((value >>> 24) ^ value) & 0xffffff;
}
