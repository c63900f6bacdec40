/**
 * The index of words by which searches are ranked by relevance: sections of the revision index file. A posting is
 * `document << WORD_FIELD_BITS | fields`. Older indexes lack it.
 */
export const WORD_LAYOUT = {
  /** Column of every term, sorted. */
  terms: 'words.terms',
  /** Hash table of the terms. In older indexes, which lack it, terms are looked up in the column. */
  placesOfTerms: 'words.placesOfTerms',
  /** A list of postings per term, by document. */
  postings: 'words.postings',
  /** Column of every word as written, lower-cased and without accents, sorted. */
  written: 'words.written',
  /** The place of the term of each written word. */
  termsOfWritten: 'words.termsOfWritten',
  /** Which letters occur in each written word; see `letterMask`. */
  masks: 'words.masks',
  /** How many words the title of each document has, at most 255. */
  titleLengths: 'words.titleLengths',
} as const;

/**
 * A set of letters in 32 bits: one for each of a to z, and six for all other characters together. One edit of a word
 * changes at most two bits.
 */
export function letterMask(word: string): number {
  let mask = 0;
  for (let at = 0; at < word.length; at++) {
    const letter = word.charCodeAt(at) - 97;
    mask |= 1 << (letter >= 0 && letter < 26 ? letter : 26 + (word.charCodeAt(at) % 6));
  }
  return mask >>> 0;
}
