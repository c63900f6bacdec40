import { type Sections, sectionOf } from './sections.ts';
import type { TextColumn } from './text-column.ts';

/** The minimum number of slots per text; the total is rounded up to a power of two. */
const SLOTS_PER_TEXT = 1.5;

/**
 * A hash table over the texts of a column, in two sections with an element per slot: a mark, made of a few bits of the
 * text's hash, so that one byte rules out most texts that are not there (0: the slot is empty), and the place of the
 * text. If its slot is taken, a text is in the next empty one.
 */
export class TextTable {
  readonly #column: TextColumn;
  readonly #marks: Uint8Array;
  readonly #places: Uint32Array;

  private constructor(sections: Sections, name: string, column: TextColumn) {
    this.#column = column;
    this.#marks = sectionOf(sections, `${name}.marks`, 'Uint8Array');
    this.#places = sectionOf(sections, `${name}.places`, 'Uint32Array');
  }

  /** Returns the table over a column; null if the revision was registered without one. */
  static open(sections: Sections, name: string, column: TextColumn): TextTable | null {
    return `${name}.marks` in sections ? new TextTable(sections, name, column) : null;
  }

  /** Returns the position of a text in the column, or -1. */
  indexOf(text: string): number {
    const hash = hashOf(text);
    const mark = markOf(hash);
    const last = this.#marks.length - 1;
    let slot = hash & last;
    for (let own = this.#marks[slot]; own !== 0; own = this.#marks[slot]) {
      const place = this.#places[slot] as number;
      if (own === mark && this.#column.is(place, text)) return place;
      slot = (slot + 1) & last;
    }
    return -1;
  }
}

/** Returns the sections of a table, given the texts of the column, each once. */
export function encodeTextTable(name: string, texts: readonly string[]): Sections {
  const slots = 2 ** Math.ceil(Math.log2(1 + SLOTS_PER_TEXT * texts.length));
  const marks = new Uint8Array(slots);
  const places = new Uint32Array(slots);
  for (const [place, text] of texts.entries()) {
    const hash = hashOf(text);
    let slot = hash & (slots - 1);
    while (marks[slot] !== 0) slot = (slot + 1) & (slots - 1);
    marks[slot] = markOf(hash);
    places[slot] = place;
  }
  return { [`${name}.marks`]: marks, [`${name}.places`]: places };
}

/** From 1 to 128. */
function markOf(hash: number): number {
  return (hash >>> 25) + 1;
}

/** FNV-1a (Fowler, Noll and Vo, 1991) over UTF-16 units, mixed at the end, since its low bits select the slot. */
function hashOf(text: string): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193);
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d) >>> 0;
}
