import { sortedByUtf8 } from '@bindery/contract';
import type { KeywordDocument } from '../keywords/encode-keywords.ts';
import { Occurrences } from '../keywords/occurrences.ts';
import { encodeListColumn } from '../list-column.ts';
import type { Sections } from '../sections.ts';
import { encodeTextColumn, encodeTextTable } from '../text-column.ts';
import { eachTextWord, splitWords, termOf, textWords } from './text-words.ts';
import { letterMask, WORD_FIELD_BITS, WORD_LAYOUT, type WordField, wordFieldBit } from './word-index.ts';

/** The parts of an asset that searches by relevance use. */
export interface WordDocument extends KeywordDocument {
  format: string | null;
}

/** At most this many tags and labels have their terms cached while an index is built. */
const MAX_REMEMBERED = 100_000;

/** Returns the sections of the word index over documents that are in the order of their ids' UTF-8 bytes. */
export function encodeWordIndex(documents: readonly WordDocument[]): Sections {
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
  const repeated = new RepeatedTexts(termNumber);
  for (const [number, document] of documents.entries()) {
    for (const [field, text] of textsOf(document)) {
      const posting = ((number << WORD_FIELD_BITS) | wordFieldBit(field)) >>> 0;
      const add = (term: number) => terms.addBitsTo(term, posting, WORD_FIELD_BITS);
      if (field === 'tags' || field === 'labels') repeated.termsOf(text).forEach(add);
      else eachTextWord(text, (word) => add(termNumber(word)));
    }
  }
  const sorted = sortedByUtf8(terms.keys());
  const placeOf = new Uint32Array(sorted.length);
  for (const [place, term] of sorted.entries()) placeOf[terms.numberOf(term)] = place;
  const written = sortedByUtf8(termNumbers.keys());
  return {
    ...encodeTextColumn(WORD_LAYOUT.terms, sorted),
    ...encodeTextTable(WORD_LAYOUT.placesOfTerms, sorted),
    ...encodeListColumn(WORD_LAYOUT.postings, terms.inOrder(sorted)),
    ...encodeTextColumn(WORD_LAYOUT.written, written),
    [WORD_LAYOUT.termsOfWritten]: Uint32Array.from(written, (word) => placeOf[termNumber(word)] as number),
    [WORD_LAYOUT.masks]: Uint32Array.from(written, letterMask),
    [WORD_LAYOUT.titleLengths]: Uint8Array.from(documents, ({ title }) => titleLength(title)),
  };
}

/** Caches the terms of tags and labels, which many assets share. */
class RepeatedTexts {
  readonly #termNumber: (word: string) => number;
  readonly #known = new Map<string, readonly number[]>();

  constructor(termNumber: (word: string) => number) {
    this.#termNumber = termNumber;
  }

  termsOf(text: string): readonly number[] {
    let terms = this.#known.get(text);
    if (terms === undefined) {
      terms = [...textWords(text)].map(this.#termNumber);
      if (this.#known.size < MAX_REMEMBERED) this.#known.set(text, terms);
    }
    return terms;
  }
}

/** Returns how many words a title has, at most 255. */
export function titleLength(title: string | null): number {
  return Math.min(
    255,
    splitWords(title ?? '').reduce((sum, { parts }) => sum + parts.length, 0),
  );
}

/** Returns the texts of an asset, each with the field that it counts for. */
export function textsOf(document: WordDocument): [WordField, string][] {
  const { id, title, description, tags, category, kind, format, license } = document;
  const texts: [WordField, string | null][] = [
    ['title', title],
    ['id', id],
    ...tags.map((tag): [WordField, string] => ['tags', tag]),
    ...[category, kind, format, license].map((label): [WordField, string | null] => ['labels', label]),
    ['description', description],
  ];
  return texts.filter((text): text is [WordField, string] => text[1] !== null);
}
