/** The longest piece that is looked for, in characters. */
const LONGEST = 24;

/** Returns the words of a text, lower-cased and without accents: runs of letters and digits, and parts of names LikeThis. */
export function wordsIn(text: string): string[] {
  return (
    text
      .replaceAll(/([a-z]{2})([A-Z][a-z])/g, '$1 $2')
      .toLowerCase()
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/**
 * Pieces of words, of which a word is split into the longest first, from left to right; those that continue a word begin
 * with `##`. (WordPiece: Devlin et al., "BERT", 2018.)
 */
export class Pieces {
  readonly #numbers: ReadonlyMap<string, number>;

  constructor(vocabulary: readonly string[]) {
    this.#numbers = new Map(vocabulary.map((piece, number) => [piece, number]));
  }

  /** Returns the numbers of a word's pieces; none if a part of it is in no piece. */
  split(word: string): number[] {
    const found: number[] = [];
    for (let start = 0; start < word.length; ) {
      let end = Math.min(word.length, start + LONGEST);
      let number: number | undefined;
      for (; end > start; end--) {
        number = this.#numbers.get(`${start === 0 ? '' : '##'}${word.slice(start, end)}`);
        if (number !== undefined) break;
      }
      if (number === undefined) return [];
      found.push(number);
      start = end;
    }
    return found;
  }
}
