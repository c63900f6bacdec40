import { ListColumn, type Lists } from '../list-column.ts';
import { type Sections, sectionOf } from '../sections.ts';
import { TextColumn, TextTable } from '../text-column.ts';
import type { SharedPhrases } from './shared-phrases.ts';
import { stemOf } from './text-words.ts';

/** The word index of one revision, read in place. It holds no search state, so concurrent searches can share it. */
export class WordIndex {
  readonly documentCount: number;
  /** How many words the title of each document has. */
  readonly titleLengths: Uint8Array;
  /** Which letters occur in each written word, by its place. */
  readonly masks: Uint32Array;
  readonly #terms: TextColumn;
  readonly #placesOfTerms: TextTable;
  readonly #postings: ListColumn;
  readonly #stems: TextColumn;
  readonly #placesOfStems: TextTable;
  readonly #termsOfStems: ListColumn;
  readonly #sharedPhrases: TextColumn;
  readonly #written: TextColumn;
  readonly #termsOfWritten: Uint32Array;

  private constructor(sections: Sections) {
    this.#terms = new TextColumn(sections, WORD_LAYOUT.terms);
    this.#placesOfTerms = new TextTable(sections, WORD_LAYOUT.placesOfTerms, this.#terms);
    this.#postings = new ListColumn(sections, WORD_LAYOUT.postings);
    this.#stems = new TextColumn(sections, WORD_LAYOUT.stems);
    this.#placesOfStems = new TextTable(sections, WORD_LAYOUT.placesOfStems, this.#stems);
    this.#termsOfStems = new ListColumn(sections, WORD_LAYOUT.termsOfStems);
    this.#sharedPhrases = new TextColumn(sections, WORD_LAYOUT.sharedPhrases);
    this.#written = new TextColumn(sections, WORD_LAYOUT.written);
    this.#termsOfWritten = sectionOf(sections, WORD_LAYOUT.termsOfWritten, 'Uint32Array');
    this.masks = sectionOf(sections, WORD_LAYOUT.masks, 'Uint32Array');
    this.titleLengths = sectionOf(sections, WORD_LAYOUT.titleLengths, 'Uint8Array');
    this.documentCount = this.titleLengths.length;
  }

  /** Returns the word index among the sections of a revision; null if the revision was registered without one. */
  static open(sections: Sections): WordIndex | null {
    return `${WORD_LAYOUT.postings}.starts` in sections ? new WordIndex(sections) : null;
  }

  /** How many terms there are; their places are from 0. */
  get termCount(): number {
    return this.#terms.length;
  }

  term(place: number): string {
    return this.#terms.at(place);
  }

  /** Returns the place of a term, or -1. */
  placeOf(term: string): number {
    return this.#placesOfTerms.indexOf(term);
  }

  /** Returns the places of the terms that have a stem, ascending. */
  termsOfStem(stem: string): Uint32Array {
    const place = this.#placesOfStems.indexOf(stem);
    if (place >= 0) return this.#termsOfStems.at(place);
    // A stem is only listed if it is not the one term that has it.
    const term = stemOf(stem) === stem ? this.placeOf(stem) : -1;
    return term < 0 ? new Uint32Array() : Uint32Array.of(term);
  }

  /** The phrases that do not count, since most descriptions have them. */
  get sharedPhrases(): SharedPhrases {
    const column = this.#sharedPhrases;
    return new Set(Array.from({ length: column.length }, (_, place) => column.at(place)));
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

/**
 * The index of words by which searches are ranked by relevance: sections of the revision index file. A posting is
 * `document << WORD_FIELD_BITS | fields`. The names go with what is in the sections: with others, servers of another release
 * that share the library find no index of words, and make their own.
 */
export const WORD_LAYOUT = {
  /** Column of every term, sorted. */
  terms: 'words.10.terms',
  /** Hash table of the terms. */
  placesOfTerms: 'words.10.placesOfTerms',
  /** A list of postings per term, by document. */
  postings: 'words.10.postings',
  /** Column of every stem but those that are the one term that they are the stem of, sorted. */
  stems: 'words.10.stems',
  /** Hash table of the stems. */
  placesOfStems: 'words.10.placesOfStems',
  /** A list per stem: the places of its terms, ascending. */
  termsOfStems: 'words.10.termsOfStems',
  /** Column of the phrases that most descriptions have. */
  sharedPhrases: 'words.10.sharedPhrases',
  /** Column of every word as written, lower-cased and without accents, sorted. */
  written: 'words.10.written',
  /** The place of the term of each written word. */
  termsOfWritten: 'words.10.termsOfWritten',
  /** Which letters occur in each written word; see `letterMask`. */
  masks: 'words.10.masks',
  /** How many words the title of each document has, at most 255. */
  titleLengths: 'words.10.titleLengths',
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

/** The fields of an asset that are searched by relevance. `labels` are its category, kind, format and license,
 * `broader` words for what its title and tags name a kind of, `definition` those that define it, and `derived` what its files show. */
export const WORD_FIELDS = [
  'title',
  'id',
  'tags',
  'labels',
  'description',
  'broader',
  'definition',
  'derived',
] as const;

export type WordField = (typeof WORD_FIELDS)[number];

/** A set of fields is a number with one bit per field. */
export const WORD_FIELD_BITS = 8;
export const WORD_FIELD_MASK: number = (1 << WORD_FIELD_BITS) - 1;

export function wordFieldBit(field: WordField): number {
  return 1 << WORD_FIELDS.indexOf(field);
}
