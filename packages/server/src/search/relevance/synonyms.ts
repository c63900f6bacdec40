import { termOf } from '../../revision/words/text-words.ts';
import { phraseOf } from './parse-query.ts';

/** Another way to say a word or several: terms that must all be present. */
export type OtherWords = readonly string[];

/** The synonyms of one or more consecutive words of a query. */
export interface Synonym {
  /** How many words of the query it covers. */
  length: number;
  others: readonly OtherWords[];
}

/** Groups of words that mean about the same. `parseSynonyms` reads them from a text with one group per line. */
export class Synonyms {
  /** The other entries of an entry's groups, by the terms of the entry joined with spaces. */
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

  /** Yields the synonyms of the words that start at a position, for every number of words that has any. */
  *from(terms: readonly string[], at: number): Generator<Synonym> {
    const longest = Math.min(this.#longest, terms.length - at);
    for (let length = 1; length <= longest; length++) {
      const others = this.#groups.get(terms.slice(at, at + length).join(' '));
      if (others) yield { length, others };
    }
  }
}

/**
 * Parses one group per line, its entries separated by commas, each of one or more words; `#` begins a comment. Case,
 * accents and inflections make no difference.
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
