import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { termOf } from '../../revision/words/text-words.ts';
import { letterMask } from '../../revision/words/word-index.ts';
import type { WordsElsewhere } from '../engine/search-engine.ts';
import { countPostings, postingsOf } from './postings.ts';
import type { WordSource } from './sources.ts';

/** How many words are compared between checks whether to yield. */
const STRIDE = 20_000;

const DIGIT = /\d/;

/** How many similar words stand in for a word that occurs nowhere. */
const MAX_SIMILAR = 4;

interface SimilarWord {
  word: string;
  edits: number;
  having: number;
}

/** How many edits away words similar to one of this length can be: in short words, every edit makes another word. */
function editsFor(length: number): number {
  if (length < 4) return 0;
  return length < 8 ? 1 : 2;
}

/** Collects, from one index after another, the words that a mistyped word was probably meant to be. */
export class SimilarWords {
  readonly #word: string;
  readonly #mask: number;
  readonly #digits: string;
  #edits: number;
  readonly #found = new Map<string, SimilarWord>();

  constructor(word: string) {
    this.#word = word;
    this.#mask = letterMask(word);
    this.#digits = digitsOf(word);
    this.#edits = editsFor(word.length);
  }

  async add(source: WordSource): Promise<void> {
    if (this.#edits === 0) return;
    const { words } = source;
    const { masks } = words;
    for (let start = 0; start < masks.length; start += STRIDE) {
      const end = Math.min(masks.length, start + STRIDE);
      for (let place = start; place < end; place++) {
        // An edit changes at most two bits.
        if (bitCount((masks[place] as number) ^ this.#mask) > 2 * this.#edits) continue;
        if (words.writtenBytes(place) > 4 * (this.#word.length + this.#edits)) continue;
        this.#compare(source, place);
      }
      if (turnIsOver()) await nextTurn();
    }
  }

  /** Adds what another engine has: words as they are written, and how many assets have each. */
  async addFrom(elsewhere: WordsElsewhere): Promise<void> {
    if (this.#edits === 0) return;
    const words = await elsewhere.spellings(this.#word, this.#edits);
    const near = words.filter((word) => this.#editsTo(word) <= this.#edits);
    const counts = await elsewhere.frequencies(
      near.map((word) => ({ match: 'exact', terms: [termOf(word)] })),
    );
    for (const [at, word] of near.entries()) this.#take(word, this.#editsTo(word), counts[at] ?? 0);
  }

  /** Returns the words that are the fewest edits away, most frequent first. */
  best(): string[] {
    const least = Math.min(...[...this.#found.values()].map(({ edits }) => edits));
    return [...this.#found.values()]
      .filter(({ edits }) => edits === least)
      .sort((a, b) => b.having - a.having || (a.word < b.word ? -1 : 1))
      .slice(0, MAX_SIMILAR)
      .map(({ word }) => word);
  }

  #compare({ words, searched }: WordSource, place: number): void {
    const word = words.written(place);
    const known = this.#found.get(word);
    const edits = known?.edits ?? this.#editsTo(word);
    if (edits > this.#edits) return;
    this.#take(word, edits, countPostings(postingsOf(words, words.termOfWritten(place)), searched));
  }

  #take(word: string, edits: number, having: number): void {
    if (having === 0 || edits > this.#edits) return;
    this.#edits = Math.min(this.#edits, Math.max(1, edits));
    this.#found.set(word, { word, edits, having: having + (this.#found.get(word)?.having ?? 0) });
  }

  #editsTo(word: string): number {
    // Different numbers mean different things, not other spellings.
    if (digitsOf(word) !== this.#digits) return Number.POSITIVE_INFINITY;
    // People rarely mistype the first letter, and changing it mostly makes another word: that edit counts twice.
    return editDistance(this.#word, word, this.#edits) + (word[0] === this.#word[0] ? 0 : 1);
  }
}

function digitsOf(word: string): string {
  return DIGIT.test(word) ? word.replace(/\D/g, '') : '';
}

function bitCount(bits: number): number {
  let left = bits - ((bits >>> 1) & 0x5555_5555);
  left = (left & 0x3333_3333) + ((left >>> 2) & 0x3333_3333);
  return Math.imul((left + (left >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

/**
 * Returns how many edits turn one word into another: insertions, deletions, substitutions, and swaps of adjacent
 * letters (optimal string alignment; Damerau, "A technique for computer detection and correction of spelling errors",
 * CACM 7, 1964). Distances above `most` are returned as `most + 1`.
 */
export function editDistance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      let edits = Math.min(
        (last[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (last[column - 1] as number) + (same ? 0 : 1),
      );
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (swapped) edits = Math.min(edits, (beforeLast[column - 2] as number) + 1);
      current.push(edits);
      least = Math.min(least, edits);
    }
    if (least > most) return most + 1;
    [beforeLast, last] = [last, current];
  }
  return Math.min(last[other.length] as number, most + 1);
}
