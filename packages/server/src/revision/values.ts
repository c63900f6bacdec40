import { sortedByUtf8 } from '@bindery/contract';
import type { TabledAsset } from './asset-table.ts';
import { type ValueFacet, valuesOf } from './derived-values.ts';
import { type Facet, facetKey, LAYOUT } from './keywords/keyword-index.ts';
import { Occurrences } from './keywords/occurrences.ts';
import { countMarked, encodeListColumn, ListColumn, type Lists } from './list-column.ts';
import type { Sections } from './sections.ts';
import { encodeTextColumn, TextColumn } from './text-column.ts';

/** The places of values of a facet: from `first` up to, not including, `end`. */
interface ValueRange {
  first: number;
  end: number;
}

/** The values by which the assets of one revision are filtered and counted, ignoring letter case; read in place. */
export class ValueIndex {
  readonly #keys: TextColumn;
  readonly #spellings: TextColumn;
  readonly #documents: ListColumn;

  private constructor(sections: Sections) {
    this.#keys = new TextColumn(sections, VALUE_LAYOUT.keys);
    this.#spellings = new TextColumn(sections, VALUE_LAYOUT.spellings);
    this.#documents = new ListColumn(sections, VALUE_LAYOUT.documents);
  }

  /** Returns the value index among the sections of a revision; null if the revision was registered without one. */
  static open(sections: Sections): ValueIndex | null {
    return `${VALUE_LAYOUT.keys}.starts` in sections ? new ValueIndex(sections) : null;
  }

  /**
   * Returns the places of a facet's values that begin with `beginning`, ignoring letter case; of all if it is empty.
   */
  rangeOf(facet: ValueFacet, beginning = ''): ValueRange {
    return this.#keys.startingWith(foldedKey(facet, beginning));
  }

  /** Returns the place of a value, or -1. */
  placeOf(facet: ValueFacet, value: string): number {
    return this.#keys.indexOf(foldedKey(facet, value));
  }

  /** How many values there are, of all facets; their places are from 0. */
  get length(): number {
    return this.#keys.length;
  }

  /** Returns the key of the value at a place, by which indexes are joined. */
  key(place: number): string {
    return this.#keys.at(place);
  }

  /** Returns the value at a place in lower case. */
  folded(facet: ValueFacet, place: number): string {
    return this.#keys.at(place).slice(facetKey(facet, '').length);
  }

  /** Returns the value at a place in its most frequent spelling. */
  spelling(place: number): string {
    return this.#spellings.at(place);
  }

  /** Returns the documents that have the value at a place, ascending. */
  documents(place: number): Uint32Array {
    return this.#documents.at(place);
  }

  /** Returns how many documents have the value at a place. */
  frequency(place: number): number {
    return this.#documents.lengthOf(place);
  }

  /** Counts, for each value of a range, the documents that have it and have a bit set in a table. */
  countMarked(range: ValueRange, marked: { table: Uint16Array; bit: number }): Uint32Array {
    return countMarked(this.#documents.lists, range, marked);
  }

  /** Calls `visit` with the documents of each given value; documents with several of the values come repeatedly. */
  eachWith(facet: ValueFacet, values: readonly string[], visit: (documents: Uint32Array) => void): void {
    for (const key of new Set(values.map((value) => foldedKey(facet, value)))) {
      const place = this.#keys.indexOf(key);
      if (place >= 0) visit(this.documents(place));
    }
  }
}

/**
 * The values that searches by relevance filter by and count, where those that differ only in letter case are one:
 * sections of the revision index file. Older indexes lack them.
 */
export const VALUE_LAYOUT = {
  /** Column of every value, as `foldedKey` writes it, sorted. */
  keys: 'values.keys',
  /** Column of the most frequent spelling of each. */
  spellings: 'values.spellings',
  /** A list per value: the documents that have it, ascending. */
  documents: 'values.documents',
} as const;

/** Returns the key of a value, ignoring letter case. */
export function foldedKey(facet: ValueFacet, value: string): string {
  return facetKey(facet, value.toLowerCase());
}

/** Collects the documents of values in all their spellings. */
class CollectedValues {
  readonly #documents = new Occurrences();
  /** How many documents have each spelling, by key. */
  readonly #spellings = new Map<string, Map<string, number>>();

  /** @param from is added to each document */
  add(key: string, spelling: string, documents: Uint32Array, from = 0): void {
    const number = this.#documents.numberOf(key);
    for (const document of documents) this.#documents.addTo(number, from + document);
    const spellings = this.#spellings.get(key) ?? new Map<string, number>();
    spellings.set(spelling, (spellings.get(spelling) ?? 0) + documents.length);
    this.#spellings.set(key, spellings);
  }

  /** Returns the sections of the value index. */
  sections(): Sections {
    const keys = sortedByUtf8(this.#spellings.keys());
    const spellings = keys.map((key) => mostFrequent(this.#spellings.get(key) as Map<string, number>));
    return {
      ...encodeTextColumn(VALUE_LAYOUT.keys, keys),
      ...encodeTextColumn(VALUE_LAYOUT.spellings, spellings),
      ...encodeListColumn(VALUE_LAYOUT.documents, withoutRepeated(this.#documents.inOrder(keys))),
    };
  }
}

export function mostFrequent(counts: ReadonlyMap<string, number>): string {
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  return most?.[0] ?? '';
}

/** Sorts each list. A document that has a value in several spellings has it once. */
function withoutRepeated({ values, starts }: Lists): Lists {
  const kept = new Uint32Array(values.length);
  const ends = new Uint32Array(starts.length);
  let end = 0;
  for (let list = 0; list + 1 < starts.length; list++) {
    let before = -1;
    for (const value of values.subarray(starts[list], starts[list + 1]).sort()) {
      if (value !== before) kept[end++] = value;
      before = value;
    }
    ends[list + 1] = end;
  }
  return { values: kept.slice(0, end), starts: ends };
}

/** Returns the sections of the value index, given those of the keyword index and the assets sorted by id. */
export function encodeValueIndex(keywords: Sections, assets: readonly TabledAsset[]): Sections {
  const values = new CollectedValues();
  const add = (written: string, documents: Uint32Array) => {
    const [facet, spelling] = partsOf(written);
    values.add(foldedKey(facet, spelling), spelling, documents);
  };
  const written = new TextColumn(keywords, LAYOUT.facets);
  const lists = new ListColumn(keywords, LAYOUT.facetDocuments);
  for (let place = 0; place < written.length; place++) add(written.at(place), lists.at(place));
  const derived = new Occurrences();
  for (const [number, asset] of assets.entries())
    for (const [facet, value] of valuesOf(asset)) derived.add(facetKey(facet, value), number);
  const derivedKeys = [...derived.keys()];
  const { values: documents, starts } = derived.inOrder(derivedKeys);
  for (const [at, key] of derivedKeys.entries()) add(key, documents.subarray(starts[at], starts[at + 1]));
  return values.sections();
}

/** Joins value indexes into one, whose documents are those of the first, then those of the second, and so on. */
export class ValueIndexJoiner {
  readonly #values = new CollectedValues();
  #documents = 0;

  add(index: ValueIndex, documentCount: number): void {
    for (let place = 0; place < index.length; place++)
      this.#values.add(index.key(place), index.spelling(place), index.documents(place), this.#documents);
    this.#documents += documentCount;
  }

  /** Returns the sections of the joined index. */
  sections(): Sections {
    return this.#values.sections();
  }
}

/** The inverse of `facetKey`. */
export function partsOf(key: string): [facet: Facet, value: string] {
  const end = key.indexOf('\0');
  return [key.slice(0, end) as Facet, key.slice(end + 1)];
}
