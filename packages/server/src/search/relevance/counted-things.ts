import { stemOf, termOf } from '../../revision/words/text-words.ts';
import { ABOUT, LESS, MORE, NUMBER_WORDS } from '../understanding/measures.ts';

/** How many there are of the things that a text counts, by the stem of their word: `three fingers`, `3-fingered`. */
type Counts = ReadonlyMap<string, ReadonlySet<number>>;

const COUNT = new RegExp(
  `(?:(?<!\\p{L})(?<bound>${LESS}|${MORE}|${ABOUT}|or|to) )?(?<![\\p{L}\\p{N}.,-])(?<number>\\d{1,3}|${NUMBER_WORDS.join('|')})[ -](?<thing>\\p{L}{3,40})`,
  'giu',
);

/** Reads the numbers of things in a text; `at least three` and `two or three` are none. */
export function countsIn(text: string): Counts {
  const counts = new Map<string, Set<number>>();
  for (const { groups: { bound, number = '', thing = '' } = {} } of text.matchAll(COUNT)) {
    if (bound !== undefined) continue;
    const term = termOf(thing.toLowerCase());
    const stem = stemOf(term) ?? term;
    const word = NUMBER_WORDS.indexOf(number.toLowerCase());
    const own = counts.get(stem) ?? new Set();
    counts.set(stem, own.add(word < 0 ? Number(number) : word));
  }
  return counts;
}

/** Returns the share, from 0 to 1, of the things asked for, at least one, of which there are more or fewer; what is not counted is none. */
export function contradictionOf(asked: Counts, told: Counts): number {
  const contradicted = [...asked].filter(([thing, numbers]) => {
    const own = told.get(thing);
    return own !== undefined && numbers.isDisjointFrom(own);
  });
  return contradicted.length / asked.size;
}
