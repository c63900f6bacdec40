import { type DerivedWords, sortedByUtf8 } from '@bindery/contract';
import type { KeywordDocument } from '../keywords/encode-keywords.ts';
import { Occurrences } from '../keywords/occurrences.ts';
import { concatenated, encodeListColumn } from '../list-column.ts';
import type { Sections } from '../sections.ts';
import { encodeTextColumn, encodeTextTable } from '../text-column.ts';
import { type Noun, nounsIn } from './english-nouns.ts';
import { findSharedPhrases, type SharedPhrases, withoutPhrases } from './shared-phrases.ts';
import { eachTextWord, splitWords, stemOf, termOf, textWords } from './text-words.ts';
import {
  letterMask,
  WORD_FIELD_BITS,
  WORD_LAYOUT,
  type WordField,
  type WordIndex,
  wordFieldBit,
} from './word-index.ts';

/** The parts of an asset that searches by relevance use. */
export interface WordDocument extends KeywordDocument {
  format: string | null;
  /** The names of its entry points. */
  entryPoints?: readonly string[];
  /** What its files show. */
  derived?: DerivedWords;
}

/** At most this many texts have their terms cached while an index is built. */
const MAX_REMEMBERED = 100_000;

/**
 * Returns the sections of the word index over documents that are in the order of their ids' UTF-8 bytes.
 *
 * @param shared what most of the library's descriptions have in common
 */
export function encodeWordIndex(
  documents: readonly WordDocument[],
  shared: SharedPhrases = findSharedPhrases(
    documents.length,
    (number) => documents[number]?.description ?? null,
  ),
): Sections {
  const terms = new Occurrences();
  // Cached by written word: a library has far fewer different words than its texts have words.
  const termNumbers = new Map<string, number>();
  const termNumber = (word: string) => {
    let number = termNumbers.get(word);
    if (number === undefined) {
      number = terms.numberOf(termOf(word));
      termNumbers.set(word, number);
    }
    return number;
  };
  const repeated = new RepeatedTexts((text) => [...textWords(text)].map(termNumber));
  const nounsOfTags = new RepeatedTexts((tag) => nounsIn(namesOf(tag)));
  // Nobody wrote what is known of nouns, so it completes and corrects no words.
  const nouns = new NounTerms(terms);
  const seen = new RepeatedTexts((text) => [...textWords(text)].map((word) => terms.numberOf(termOf(word))));
  for (const [number, document] of documents.entries()) {
    for (const [field, text] of textsOf(document, shared)) {
      const posting = ((number << WORD_FIELD_BITS) | wordFieldBit(field)) >>> 0;
      const add = (term: number) => terms.addBitsTo(term, posting, WORD_FIELD_BITS);
      if (field === 'tags' || field === 'labels') repeated.of(text).forEach(add);
      else eachTextWord(text, (word) => add(termNumber(word)));
    }
    const posting = ((number << WORD_FIELD_BITS) | wordFieldBit('derived')) >>> 0;
    for (const text of derivedTexts(document))
      for (const term of seen.of(text)) terms.addBitsTo(term, posting, WORD_FIELD_BITS);
    for (const noun of nounsIn(namesOf(document.title ?? ''))) nouns.add(noun, number);
    for (const tag of document.tags) for (const noun of nounsOfTags.of(tag)) nouns.add(noun, number);
  }
  return encodeWords({
    terms,
    written: termNumbers,
    sharedPhrases: shared,
    titleLengths: Uint8Array.from(documents, ({ title }) => titleLength(title)),
  });
}

/**
 * Joins word indexes into one, whose documents are those of the first, then those of the second, and so on. What phrases
 * are shared depends on the library, so the joined index has none.
 */
export class WordIndexJoiner {
  readonly #terms = new Occurrences();
  readonly #written = new Map<string, number>();
  readonly #titleLengths: Uint8Array[] = [];
  #documents = 0;

  add(index: WordIndex): void {
    const numbers = Uint32Array.from({ length: index.termCount }, (_, place) => {
      const number = this.#terms.numberOf(index.term(place));
      for (const posting of index.postings(place))
        this.#terms.addTo(number, posting + this.#documents * 2 ** WORD_FIELD_BITS);
      return number;
    });
    for (let place = 0; place < index.masks.length; place++)
      this.#written.set(index.written(place), numbers[index.termOfWritten(place)] as number);
    this.#titleLengths.push(index.titleLengths.slice());
    this.#documents += index.documentCount;
  }

  /** Returns the sections of the joined index. */
  sections(): Sections {
    const titleLengths = new Uint8Array(Buffer.concat(this.#titleLengths));
    return encodeWords({
      terms: this.#terms,
      written: this.#written,
      sharedPhrases: NOTHING_SHARED,
      titleLengths,
    });
  }
}

interface CollectedWords {
  /** The postings of every term. */
  terms: Occurrences;
  /** The number of the term of every word as written. */
  written: ReadonlyMap<string, number>;
  sharedPhrases: SharedPhrases;
  titleLengths: Uint8Array;
}

function encodeWords({ terms, written: numbers, sharedPhrases, titleLengths }: CollectedWords): Sections {
  const sorted = sortedByUtf8(terms.keys());
  const placeOf = new Uint32Array(sorted.length);
  for (const [place, term] of sorted.entries()) placeOf[terms.numberOf(term)] = place;
  const written = sortedByUtf8(numbers.keys());
  return {
    ...encodeTextColumn(WORD_LAYOUT.terms, sorted),
    ...encodeTextTable(WORD_LAYOUT.placesOfTerms, sorted),
    ...encodeListColumn(WORD_LAYOUT.postings, terms.inOrder(sorted)),
    ...encodeStems(sorted),
    ...encodeTextColumn(WORD_LAYOUT.sharedPhrases, [...sharedPhrases]),
    ...encodeTextColumn(WORD_LAYOUT.written, written),
    [WORD_LAYOUT.termsOfWritten]: Uint32Array.from(
      written,
      (word) => placeOf[numbers.get(word) as number] as number,
    ),
    [WORD_LAYOUT.masks]: Uint32Array.from(written, letterMask),
    [WORD_LAYOUT.titleLengths]: titleLengths,
  };
}

/** Returns the sections of the stems of sorted terms. */
export function encodeStems(terms: readonly string[]): Sections {
  const stems = stemsOf(terms);
  return {
    ...encodeTextColumn(WORD_LAYOUT.stems, [...stems.keys()]),
    ...encodeTextTable(WORD_LAYOUT.placesOfStems, [...stems.keys()]),
    ...encodeListColumn(WORD_LAYOUT.termsOfStems, concatenated([...stems.values()])),
  };
}

/** Returns the places of the terms of each stem, except where a term is a stem and the only one of it. */
function stemsOf(terms: readonly string[]): Map<string, Uint32Array> {
  const places = new Map<string, number[]>();
  for (const [place, term] of terms.entries()) {
    const stem = stemOf(term);
    if (stem === null) continue;
    const own = places.get(stem);
    if (own) own.push(place);
    else places.set(stem, [place]);
  }
  const listed = sortedByUtf8(places.keys()).flatMap((stem): [string, Uint32Array][] => {
    const own = places.get(stem) ?? [];
    return own.length === 1 && terms[own[0] as number] === stem ? [] : [[stem, Uint32Array.from(own)]];
  });
  return new Map(listed);
}

/** Caches what is found in texts that many assets share. */
class RepeatedTexts<Found> {
  readonly #read: (text: string) => readonly Found[];
  readonly #known = new Map<string, readonly Found[]>();

  constructor(read: (text: string) => readonly Found[]) {
    this.#read = read;
  }

  of(text: string): readonly Found[] {
    let found = this.#known.get(text);
    if (found === undefined) {
      found = this.#read(text);
      if (this.#known.size < MAX_REMEMBERED) this.#known.set(text, found);
    }
    return found;
  }
}

/** Adds what is known of nouns to the assets that they name. */
class NounTerms {
  readonly #terms: Occurrences;
  readonly #known = new Map<Noun, readonly [field: number, terms: readonly number[]][]>();

  constructor(terms: Occurrences) {
    this.#terms = terms;
  }

  add(noun: Noun, document: number): void {
    let known = this.#known.get(noun);
    if (known === undefined) {
      known = (['broader', 'definition'] as const).map((field) => [
        wordFieldBit(field),
        noun[field].map((term) => this.#terms.numberOf(term)),
      ]);
      this.#known.set(noun, known);
    }
    for (const [field, terms] of known) {
      const posting = ((document << WORD_FIELD_BITS) | field) >>> 0;
      for (const term of terms) this.#terms.addBitsTo(term, posting, WORD_FIELD_BITS);
    }
  }
}

/** Returns what an asset is found by that nobody wrote, but that its files show. */
export function derivedTexts({ derived }: Pick<WordDocument, 'derived'>): string[] {
  if (derived === undefined) return [];
  const { articulation, form, colors, parts } = derived;
  return [...(articulation === null ? [] : [articulation]), ...form, ...colors, ...parts];
}

/** Returns the nouns that say what an asset is: those in its title and tags. */
export function nounsOf({ title, tags }: Pick<WordDocument, 'title' | 'tags'>): Noun[] {
  const names = title === null ? tags : [title, ...tags];
  return names.flatMap((text) => nounsIn(namesOf(text)));
}

/** What names things in a text: its words, and of those LikeThis also the whole, as in `ANYmal`. */
function namesOf(text: string): string[] {
  return splitWords(text).flatMap(({ word, parts }) => (parts.length > 1 ? [word, ...parts] : parts));
}

function partsOf(text: string): string[] {
  return splitWords(text).flatMap(({ parts }) => parts);
}

/** Returns how many words a title has, at most 255. */
export function titleLength(title: string | null): number {
  return Math.min(255, partsOf(title ?? '').length);
}

/** `BSD-3-Clause` is found by its words, and says nothing about what has three of something. */
function withoutVersion(license: string | null): string | null {
  return license === null ? null : license.replace(/(?<=-)\d+(?:\.\d+)*(?=-|$)/g, ' ');
}

const NOTHING_SHARED: SharedPhrases = new Set();

/** Returns the texts of an asset, each with the field that it counts for; the description without what others share. */
export function textsOf(
  document: WordDocument,
  shared: SharedPhrases = NOTHING_SHARED,
): [WordField, string][] {
  const { id, title, description, tags, category, kind, format, license, entryPoints = [] } = document;
  const texts: [WordField, string | null][] = [
    ['title', title],
    ['id', id],
    ...tags.map((tag): [WordField, string] => ['tags', tag]),
    ...[category, kind, format, withoutVersion(license), ...entryPoints].map(
      (label): [WordField, string | null] => ['labels', label],
    ),
    ['description', description === null ? null : withoutPhrases(description, shared)],
  ];
  return texts.filter((text): text is [WordField, string] => text[1] !== null);
}
