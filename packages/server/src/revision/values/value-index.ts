import type { AnyFilters } from '../keywords/keyword-index.ts';
import { type Facet, facetKey } from '../keywords/layout.ts';
import { countMarked, ListColumn } from '../list-column.ts';
import type { Sections } from '../sections.ts';
import { TextColumn } from '../text-column.ts';
import { foldedKey, VALUE_LAYOUT } from './layout.ts';

/** The places of values of a facet: from `first` up to, not including, `end`. */
export interface ValueRange {
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
  rangeOf(facet: Facet, beginning = ''): ValueRange {
    return this.#keys.startingWith(foldedKey(facet, beginning));
  }

  /** Returns the value at a place in lower case. */
  folded(facet: Facet, place: number): string {
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
  countMarked(range: ValueRange, marked: { table: Uint8Array; bit: number }): Uint32Array {
    return countMarked(this.#documents.lists, range, marked);
  }

  /** Calls `visit` with the documents of each given value; documents with several of the values come repeatedly. */
  eachWith(
    facet: Facet,
    values: NonNullable<AnyFilters[Facet]>,
    visit: (documents: Uint32Array) => void,
  ): void {
    for (const key of new Set(values.map((value) => foldedKey(facet, value)))) {
      const place = this.#keys.indexOf(key);
      if (place >= 0) visit(this.documents(place));
    }
  }
}
