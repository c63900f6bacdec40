import type { AnyFilters } from '../keywords/keyword-index.ts';
import { type Facet, facetKey } from '../keywords/layout.ts';
import { countMarked, ListColumn } from '../list-column.ts';
import type { Sections } from '../sections.ts';
import { TextColumn } from '../text-column.ts';
import { foldedKey, VALUE_LAYOUT } from './layout.ts';

/** A place for each value of a facet: from `first` up to, not including, `end`. */
export interface ValueRange {
  first: number;
  end: number;
}

/** The values by which the assets of one revision are filtered and counted, whatever their letter case; read in place. */
export class ValueIndex {
  readonly #keys: TextColumn;
  readonly #spellings: TextColumn;
  readonly #documents: ListColumn;

  private constructor(sections: Sections) {
    this.#keys = new TextColumn(sections, VALUE_LAYOUT.keys);
    this.#spellings = new TextColumn(sections, VALUE_LAYOUT.spellings);
    this.#documents = new ListColumn(sections, VALUE_LAYOUT.documents);
  }

  /** The value index among the sections of a revision; null where the revision was registered without one. */
  static open(sections: Sections): ValueIndex | null {
    return `${VALUE_LAYOUT.keys}.starts` in sections ? new ValueIndex(sections) : null;
  }

  /** The values of a facet that begin so, in lower case; all of them for an empty text. */
  rangeOf(facet: Facet, beginning = ''): ValueRange {
    return this.#keys.startingWith(foldedKey(facet, beginning));
  }

  /** The value at a place in lower case. */
  folded(facet: Facet, place: number): string {
    return this.#keys.at(place).slice(facetKey(facet, '').length);
  }

  /** The value at a place as it is mostly written. */
  spelling(place: number): string {
    return this.#spellings.at(place);
  }

  /** The documents that have the value at a place, ascending. */
  documents(place: number): Uint32Array {
    return this.#documents.at(place);
  }

  /** How many documents have the value at a place. */
  having(place: number): number {
    return this.#documents.lengthOf(place);
  }

  /** How many documents that have a bit set in a table have each value of a range. */
  countMarked(range: ValueRange, marked: { table: Uint8Array; bit: number }): Uint32Array {
    return countMarked(this.#documents.lists, range, marked);
  }

  /** Calls back for every document that has one of some values of a facet, more than once where it has several. */
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
