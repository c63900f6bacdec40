import { stemOf, termOf } from '../../revision/words/text-words.ts';
import { NUMBER_WORDS } from '../understanding/measures.ts';

/** How many there are of the things that a text counts, by the stem of their word: `three fingers`, `3-fingered`. */
export type Counts = ReadonlyMap<string, ReadonlySet<number>>;

const COUNT = new RegExp(
  `(?<![\\p{L}\\p{N}.,-])(\\d{1,3}|${NUMBER_WORDS.join('|')})[ -](\\p{L}{3,40})`,
  'giu',
);

export function countsIn(text: string): Counts {
  const counts = new Map<string, Set<number>>();
  for (const [, number = '', thing = ''] of text.matchAll(COUNT)) {
    const term = termOf(thing.toLowerCase());
    const stem = stemOf(term) ?? term;
    const word = NUMBER_WORDS.indexOf(number.toLowerCase());
    const own = counts.get(stem) ?? new Set();
    counts.set(stem, own.add(word < 0 ? Number(number) : word));
  }
  return counts;
}

/** Returns the share, from 0 to 1, of the things asked for of which there are more or fewer; what is not counted is none. */
export function contradictionOf(asked: Counts, told: Counts): number {
  const contradicted = [...asked].filter(([thing, numbers]) => {
    const own = told.get(thing);
    return own !== undefined && numbers.isDisjointFrom(own);
  });
  return contradicted.length / Math.max(1, asked.size);
}
