import { ListColumn, type Lists } from '../list-column.ts';
import { type Sections, sectionOf } from '../sections.ts';
import { TextColumn } from '../text-column.ts';
import { TextTable } from '../text-table.ts';
import { WORD_LAYOUT } from './layout.ts';

/** The word index of one revision, read in place. It holds no search state, so concurrent searches can share it. */
export class WordIndex {
  readonly documentCount: number;
  /** How many words the title of each document has. */
  readonly titleLengths: Uint8Array;
  /** Which letters occur in each written word, by its place. */
  readonly masks: Uint32Array;
  readonly #terms: TextColumn;
  readonly #placesOfTerms: TextTable | null;
  readonly #postings: ListColumn;
  readonly #written: TextColumn;
  readonly #termsOfWritten: Uint32Array;

  private constructor(sections: Sections) {
    this.#terms = new TextColumn(sections, WORD_LAYOUT.terms);
    this.#placesOfTerms = TextTable.open(sections, WORD_LAYOUT.placesOfTerms, this.#terms);
    this.#postings = new ListColumn(sections, WORD_LAYOUT.postings);
    this.#written = new TextColumn(sections, WORD_LAYOUT.written);
    this.#termsOfWritten = sectionOf(sections, WORD_LAYOUT.termsOfWritten, 'Uint32Array');
    this.masks = sectionOf(sections, WORD_LAYOUT.masks, 'Uint32Array');
    this.titleLengths = sectionOf(sections, WORD_LAYOUT.titleLengths, 'Uint8Array');
    this.documentCount = this.titleLengths.length;
  }

  /** Returns the word index among the sections of a revision; null if the revision was registered without one. */
  static open(sections: Sections): WordIndex | null {
    return WORD_LAYOUT.titleLengths in sections ? new WordIndex(sections) : null;
  }

  /** Returns the place of a term, or -1. */
  placeOf(term: string): number {
    return (this.#placesOfTerms ?? this.#terms).indexOf(term);
  }

  /** Returns one posting for each document that has the term. */
  postings(place: number): Uint32Array {
    return this.#postings.at(place);
  }

  /** Returns how many documents have the term. */
  frequency(place: number): number {
    return this.#postings.lengthOf(place);
  }

  /** The postings of all terms, as stored. */
  get lists(): Lists {
    return this.#postings.lists;
  }

  /** Returns the places of the written words that begin with a prefix: from `first` up to, not including, `end`. */
  writtenWith(prefix: string): { first: number; end: number } {
    return this.#written.startingWith(prefix);
  }

  written(place: number): string {
    return this.#written.at(place);
  }

  writtenBytes(place: number): number {
    return this.#written.byteLength(place);
  }

  /** Returns the place of the term of a written word. */
  termOfWritten(place: number): number {
    return this.#termsOfWritten[place] as number;
  }

  /** Returns the places of the terms of the written words from `first` up to, not including, `end`. */
  termsOfWritten(first: number, end: number): Uint32Array {
    return this.#termsOfWritten.subarray(first, end);
  }
}
