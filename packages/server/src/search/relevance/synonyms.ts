import { termOf } from '../../revision/words/terms.ts';
import { phraseOf } from './parse-query.ts';

/** A way to say what a word, or several together, mean: terms that all have to be there. */
export type OtherWords = readonly string[];

/** Words of a query from a place on that mean something together, and other words for it. */
export interface Synonym {
  /** How many words of the query it takes. */
  length: number;
  others: readonly OtherWords[];
}

/** Words that mean about the same, by groups. Read from a text of one group per line: see `parseSynonyms`. */
export class Synonyms {
  /** Groups by the terms of an entry, joined by blanks. */
  readonly #groups = new Map<string, OtherWords[]>();
  #longest = 0;

  constructor(groups: readonly (readonly OtherWords[])[]) {
    for (const group of groups) {
      for (const entry of group) {
        const key = entry.join(' ');
        const others = group.filter((other) => other.join(' ') !== key);
        this.#groups.set(key, [...(this.#groups.get(key) ?? []), ...others]);
        this.#longest = Math.max(this.#longest, entry.length);
      }
    }
  }

  /** What the words from a place on mean, for every number of words that means something. */
  *from(terms: readonly string[], at: number): Generator<Synonym> {
    const longest = Math.min(this.#longest, terms.length - at);
    for (let length = 1; length <= longest; length++) {
      const others = this.#groups.get(terms.slice(at, at + length).join(' '));
      if (others) yield { length, others };
    }
  }
}

/**
 * One group per line, its entries separated by commas, each of one or more words; `#` begins a comment. Case, accents and
 * inflections make no difference.
 */
export function parseSynonyms(text: string): Synonyms {
  const groups = text.split('\n').map((line) =>
    line
      .replace(/#.*/, '')
      .split(',')
      .map((entry) => phraseOf(entry).map(termOf))
      .filter((entry) => entry.length > 0),
  );
  return new Synonyms(groups.filter((group) => group.length > 1));
}
