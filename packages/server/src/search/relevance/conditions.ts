import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { AnyFilters, DocumentSet, Facet } from '../../revision/keywords/keyword-index.ts';
import type { RelevanceIndex, RevisionIndex } from '../../revision/revision-index.ts';
import { textsOf } from '../../revision/words/encode-words.ts';
import { STOP_WORDS, termOf } from '../../revision/words/text-words.ts';
import { WORD_FIELD_BITS } from '../../revision/words/word-index.ts';
import { type ParsedQuery, type Phrase, phraseOf } from './query.ts';

/** The facets that searches by relevance filter by and count. */
export const RELEVANCE_FACETS = ['kind', 'category', 'license', 'tag', 'library'] as const;
export type RelevanceFacet = Facet | 'library';

/** The conditions of a search that each asset fails: one bit per facet, and one for phrases and exclusions. */
export type Misses = Uint8Array;

const OTHER_MISS: number = 1 << RELEVANCE_FACETS.length;

export function missBit(facet: RelevanceFacet): number {
  return 1 << RELEVANCE_FACETS.indexOf(facet);
}

const ALL_FACETS = OTHER_MISS - 1;

/**
 * The facets that an asset is counted in, as bits, by the conditions that it fails: all facets if it fails none, and
 * the facet of a filter if it fails that filter alone, since a facet's counts ignore its own filter.
 */
export const COUNTED_IN: Uint8Array = Uint8Array.from({ length: 2 * OTHER_MISS }, (_, misses) => {
  if (misses === 0) return ALL_FACETS;
  const isOneFacet = misses < OTHER_MISS && (misses & (misses - 1)) === 0;
  return isOneFacet ? misses : 0;
});

/**
 * How many assets one search reads to check whether the words of a phrase are adjacent. Beyond that, having all of the
 * words is enough: a phrase of very common words must not cause every asset to be read.
 */
const MAX_READ = 10_000;

/** The filters, phrases and exclusions of one search. */
export class Conditions {
  readonly #filters: readonly [Facet, readonly string[]][];
  readonly #query: Pick<ParsedQuery, 'phrases' | 'excluded'>;
  #left = MAX_READ;
  /** The same limit for assets that only facets count, so that these do not use up the reads for hits. */
  #leftToCount: number;

  /** @param counting whether assets that fail only one filter matter, too */
  constructor(
    filters: AnyFilters,
    query: Pick<ParsedQuery, 'phrases' | 'excluded'>,
    { counting }: { counting: boolean },
  ) {
    this.#filters = Object.entries(filters).filter(([, values]) => values !== undefined) as [
      Facet,
      readonly string[],
    ][];
    this.#query = query;
    this.#leftToCount = counting ? MAX_READ : 0;
  }

  /** Returns which conditions each document of an index fails; null if there are no conditions. */
  async missesIn(index: RelevanceIndex): Promise<Misses | null> {
    const { phrases, excluded } = this.#query;
    if (this.#filters.length + phrases.length + excluded.length === 0) return null;
    const misses: Misses = new Uint8Array(index.assetCount);
    for (const [facet, values] of this.#filters) {
      const bit = missBit(facet);
      for (let document = 0; document < misses.length; document++)
        misses[document] = (misses[document] as number) | bit;
      index.values.eachWith(facet, values, (documents) => {
        for (let at = 0; at < documents.length; at++) {
          const document = documents[at] as number;
          misses[document] = (misses[document] as number) & ~bit;
        }
      });
    }
    for (const phrase of phrases) addMisses(misses, await this.#documentsWith(index, phrase, misses), 0);
    for (const phrase of excluded) addMisses(misses, await this.#documentsWith(index, phrase, misses), 1);
    return misses;
  }

  /**
   * Returns the documents that have a phrase in one of their fields. Documents that can no longer be found or counted
   * are not checked for adjacent words.
   */
  async #documentsWith(index: RelevanceIndex, phrase: Phrase, misses: Misses): Promise<DocumentSet> {
    const having = documentsWithAll(index, phrase);
    if (phrase.length === 1) return having;
    const wanted = ` ${phrase.join(' ')} `;
    for (let document = 0; document < having.length && this.#left + this.#leftToCount > 0; document++) {
      if (having[document] === 0 || !this.#takeRead(misses[document] as number)) continue;
      if (!has(index, document, wanted)) having[document] = 0;
      if (turnIsOver()) await nextTurn();
    }
    return having;
  }

  #takeRead(misses: number): boolean {
    if (misses === 0 && this.#left > 0) {
      this.#left--;
      return true;
    }
    if (misses === 0 || COUNTED_IN[misses] === 0 || this.#leftToCount === 0) return false;
    this.#leftToCount--;
    return true;
  }
}

/** Marks documents as failing: those that lack a phrase (`failing` is 0), or those that have it (1). */
function addMisses(misses: Misses, having: DocumentSet, failing: 0 | 1): void {
  for (let document = 0; document < misses.length; document++) {
    if (having[document] === failing) misses[document] = (misses[document] as number) | OTHER_MISS;
  }
}

/** Returns the documents that have all words of a phrase, in any fields; stop words count as being everywhere. */
function documentsWithAll({ words, assetCount }: RelevanceIndex, phrase: Phrase): DocumentSet {
  const having = new Uint8Array(assetCount);
  const terms = [...new Set(phrase.filter((word) => !STOP_WORDS.has(word)).map(termOf))];
  for (const [at, term] of terms.entries()) {
    const place = words.placeOf(term);
    if (place < 0) return new Uint8Array(assetCount);
    for (const posting of words.postings(place)) {
      const document = posting >>> WORD_FIELD_BITS;
      if (having[document] === at) having[document] = at + 1;
    }
  }
  return having.map((count) => (count === terms.length ? 1 : 0));
}

function has(index: RevisionIndex, document: number, wanted: string): boolean {
  const card = index.card(document);
  return textsOf({ ...card, id: card.assetId }).some(([, text]) =>
    ` ${phraseOf(text).join(' ')} `.includes(wanted),
  );
}
