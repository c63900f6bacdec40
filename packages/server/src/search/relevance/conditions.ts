import {
  type AskedFilters,
  isMeasure,
  readRange,
  SEARCH_FILTERS,
  type SearchFilter,
} from '@bindery/contract';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { AssetCard } from '../../revision/asset-table.ts';
import type { DocumentSet } from '../../revision/keywords/keyword-index.ts';
import { textsOf } from '../../revision/words/encode-words.ts';
import { STOP_WORDS, termOf } from '../../revision/words/text-words.ts';
import { WORD_FIELD_BITS } from '../../revision/words/word-index.ts';
import { type ParsedQuery, type Phrase, phraseOf } from './query.ts';
import type { OpenedSource } from './sources.ts';

/** The conditions of a search that each asset fails: one bit per filter, and one for phrases and exclusions. */
export type Misses = Uint16Array;

const OTHER_MISS: number = 1 << SEARCH_FILTERS.length;

export function missBit(filter: SearchFilter): number {
  return 1 << SEARCH_FILTERS.indexOf(filter);
}

const ALL_FILTERS = OTHER_MISS - 1;

/** Of a document that is not searched: it fails everything, and is counted nowhere. */
export const NOT_SEARCHED = 0xffff;

/**
 * Returns the filters whose values an asset is counted by, as bits, from the conditions that it fails: all filters if it
 * fails none, and a filter if it fails that one alone, since a filter's counts ignore it.
 */
export function countedIn(misses: number): number {
  if (misses === 0) return ALL_FILTERS;
  return misses < OTHER_MISS && (misses & (misses - 1)) === 0 ? misses : 0;
}

/**
 * How many assets one search reads to check whether the words of a phrase are adjacent. Beyond that, having all of the
 * words is enough: a phrase of very common words must not cause every asset to be read.
 */
const MAX_READ = 10_000;

/** What conditions look at. */
type SearchedIndex = Pick<OpenedSource, 'assetCount' | 'words' | 'values' | 'measures' | 'card'> &
  Partial<Pick<OpenedSource, 'searched'>>;

/** A filter that an index decides by itself. */
type IndexFilter = Exclude<SearchFilter, 'library'>;

/** The filters, phrases and exclusions of one search. */
export class Conditions {
  readonly #filters: readonly [IndexFilter, readonly string[]][];
  readonly #query: Pick<ParsedQuery, 'phrases' | 'excluded'>;
  #left = MAX_READ;
  /** The same limit for assets that only facets count, so that these do not use up the reads for hits. */
  #leftToCount: number;

  /** @param counting whether assets that fail only one filter matter, too */
  constructor(
    filters: Omit<AskedFilters, 'library'>,
    query: Pick<ParsedQuery, 'phrases' | 'excluded'>,
    { counting }: { counting: boolean },
  ) {
    this.#filters = Object.entries(filters).filter(([, values]) => values !== undefined) as [
      IndexFilter,
      readonly string[],
    ][];
    this.#query = query;
    this.#leftToCount = counting ? MAX_READ : 0;
  }

  /** Returns which conditions each document of an index fails; null if there are no conditions. */
  async missesIn(index: SearchedIndex): Promise<Misses | null> {
    const { phrases, excluded } = this.#query;
    if (this.#filters.length + phrases.length + excluded.length === 0) return null;
    const misses: Misses = new Uint16Array(index.assetCount);
    for (const [filter, values] of this.#filters) {
      const passing = documentsPassing(index, filter, values);
      const bit = missBit(filter);
      for (let document = 0; document < misses.length; document++)
        if (passing[document] === 0) misses[document] = (misses[document] as number) | bit;
    }
    for (const phrase of phrases) addMisses(misses, await this.#documentsWith(index, phrase, misses), 0);
    for (const phrase of excluded) addMisses(misses, await this.#documentsWith(index, phrase, misses), 1);
    return misses;
  }

  /**
   * Returns the documents that have a phrase in one of their fields. Documents that can no longer be found or counted
   * are not checked for adjacent words.
   */
  async #documentsWith(index: SearchedIndex, phrase: Phrase, misses: Misses): Promise<DocumentSet> {
    const having = documentsWithAll(index, phrase);
    if (phrase.length === 1) return having;
    const wanted = ` ${phrase.join(' ')} `;
    for (let document = 0; document < having.length && this.#left + this.#leftToCount > 0; document++) {
      if (having[document] === 0 || index.searched?.[document] === 0) continue;
      if (!this.#takeRead(misses[document] as number)) continue;
      if (!has(await index.card(document), wanted)) having[document] = 0;
      if (turnIsOver()) await nextTurn();
    }
    return having;
  }

  #takeRead(misses: number): boolean {
    if (misses === 0 && this.#left > 0) {
      this.#left--;
      return true;
    }
    if (misses === 0 || countedIn(misses) === 0 || this.#leftToCount === 0) return false;
    this.#leftToCount--;
    return true;
  }
}

/** Returns the documents with one of the values; of features, with all of them. */
function documentsPassing(index: SearchedIndex, filter: IndexFilter, values: readonly string[]): DocumentSet {
  if (isMeasure(filter)) return documentsWithin(index.measures[filter], values);
  const needed = filter === 'has' ? new Set(values).size : 1;
  const having = new Uint8Array(index.assetCount);
  const add = (documents: Uint32Array) => {
    for (let at = 0; at < documents.length; at++) {
      const document = documents[at] as number;
      having[document] = Math.min(needed, (having[document] as number) + 1);
    }
  };
  index.values.eachWith(filter, values, add);
  if (filter === 'license') index.values.eachWith('licenseClass', values, add);
  return having.map((count) => (count === needed ? 1 : 0));
}

/** Returns the documents whose measure is in one of the ranges. */
export function documentsWithin(measured: Float64Array, ranges: readonly string[]): DocumentSet {
  const within = new Uint8Array(measured.length);
  for (const { least, most } of ranges.flatMap((text) => readRange(text) ?? [])) {
    for (let document = 0; document < within.length; document++) {
      const value = measured[document] as number;
      if (value >= least && value <= most) within[document] = 1;
    }
  }
  return within;
}

/** Marks documents as failing: those that lack a phrase (`failing` is 0), or those that have it (1). */
function addMisses(misses: Misses, having: DocumentSet, failing: 0 | 1): void {
  for (let document = 0; document < misses.length; document++) {
    if (having[document] === failing) misses[document] = (misses[document] as number) | OTHER_MISS;
  }
}

/** Returns the documents that have all words of a phrase, in any fields; stop words count as being everywhere. */
function documentsWithAll({ words, assetCount }: SearchedIndex, phrase: Phrase): DocumentSet {
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

function has(card: AssetCard, wanted: string): boolean {
  return textsOf({ ...card, id: card.assetId }).some(([, text]) =>
    ` ${phraseOf(text).join(' ')} `.includes(wanted),
  );
}
