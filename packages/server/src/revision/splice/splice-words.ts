import { AssetTable } from '../asset-table.ts';
import { documentOf } from '../encode-index.ts';
import type { Lists } from '../list-column.ts';
import { type Sections, sectionOf } from '../sections.ts';
import { encodeTextColumn, encodeTextTable, TextColumn } from '../text-column.ts';
import { encodeStems, textsOf } from '../words/encode-words.ts';
import { findSharedPhrases, type SharedPhrases } from '../words/shared-phrases.ts';
import { eachTextWord } from '../words/text-words.ts';
import { WORD_FIELD_BITS, WORD_FIELD_MASK, WORD_LAYOUT, wordFieldBit } from '../words/word-index.ts';
import { type Numbers, spliceKeyed } from './lists.ts';
import { GONE, mergeRows, placesOf, type Rows, type Sides, spliceNumbers, spliceTexts } from './rows.ts';

/** Fields with what words mean and what files show: nobody has written it. */
const MEANT = wordFieldBit('broader') | wordFieldBit('definition') | wordFieldBit('derived');

/** At most this many other assets are read to find whether they have the words that changed assets no longer have. */
const MAX_READ = 4_000;

/** Returns the sections of the word index; null if other phrases are shared, or too much would have to be read. */
export function spliceWords(
  sides: Sides<Sections>,
  assets: Rows,
  numbers: Numbers,
  table: AssetTable,
): Sections | null {
  const shared = sharedPhrasesOf(sides.earlier);
  const found = findSharedPhrases(table.count, (asset) => table.card(asset).description);
  if ([...found].join('\n') !== [...shared].join('\n')) return null;
  const names = { keys: WORD_LAYOUT.terms, lists: WORD_LAYOUT.postings };
  const terms = spliceKeyed(sides, names, numbers, WORD_FIELD_BITS);
  const columns = (name: string) => ({
    earlier: new TextColumn(sides.earlier, name),
    changed: new TextColumn(sides.changed, name),
  });
  const places = placesOf(terms.rows, columns(WORD_LAYOUT.terms));
  const lost = lostWords(sides, numbers, { places: places.earlier, ...terms.lists }, table, shared);
  if (lost === null) return null;
  const written = mergeRows(columns(WORD_LAYOUT.written), (row) => !lost.has(row));
  const renumbered = (side: keyof Numbers) => ({
    [WORD_LAYOUT.termsOfWritten]: sectionOf(sides[side], WORD_LAYOUT.termsOfWritten, 'Uint32Array').map(
      (term) => places[side][term] as number,
    ),
  });
  const both = { earlier: renumbered('earlier'), changed: renumbered('changed') };
  const texts = textsIn(terms.sections, WORD_LAYOUT.terms);
  return {
    ...terms.sections,
    ...encodeTextTable(WORD_LAYOUT.placesOfTerms, texts),
    ...encodeStems(texts),
    ...encodeTextColumn(WORD_LAYOUT.sharedPhrases, [...shared]),
    ...spliceTexts(sides, written, WORD_LAYOUT.written),
    ...spliceNumbers(both, written, WORD_LAYOUT.termsOfWritten, 'Uint32Array'),
    ...spliceNumbers(sides, written, WORD_LAYOUT.masks, 'Uint32Array'),
    ...spliceNumbers(sides, assets, WORD_LAYOUT.titleLengths, 'Uint8Array'),
  };
}

export function textsIn(sections: Sections, name: string): string[] {
  const column = new TextColumn(sections, name);
  return Array.from({ length: column.length }, (_, at) => column.at(at));
}

export function sharedPhrasesOf(sections: Sections): SharedPhrases {
  return new Set(textsIn(sections, WORD_LAYOUT.sharedPhrases));
}

/**
 * Returns the places of the written words that no asset has any more. An index does not say who has written a word, but who
 * has its term: of these, assets are read until one has the word. Null if too many would be read.
 */
function lostWords(
  { earlier, changed }: Sides<Sections>,
  numbers: Numbers,
  terms: Lists & { places: Uint32Array },
  table: AssetTable,
  shared: SharedPhrases,
): Set<number> | null {
  const written = new TextColumn(earlier, WORD_LAYOUT.written);
  const termsOfWritten = sectionOf(earlier, WORD_LAYOUT.termsOfWritten, 'Uint32Array');
  const before = new AssetTable(earlier);
  const had = new Set<string>();
  for (const [asset, number] of numbers.earlier.entries())
    if (number === GONE) for (const word of wordsOf(before, asset, shared)) had.add(word);
  const lost = new Set<number>();
  let left = MAX_READ;
  for (const word of had.difference(new Set(textsIn(changed, WORD_LAYOUT.written)))) {
    const place = written.indexOf(word);
    if (place < 0) return null;
    const term = terms.places[termsOfWritten[place] as number] as number;
    const postings = terms.values.subarray(terms.starts[term] ?? 0, terms.starts[term + 1] ?? 0);
    const isKept = postings.some(
      (posting) =>
        (posting & WORD_FIELD_MASK & ~MEANT) !== 0 &&
        left-- > 0 &&
        wordsOf(table, posting >>> WORD_FIELD_BITS, shared).has(word),
    );
    if (left < 0) return null;
    if (!isKept) lost.add(place);
  }
  return lost;
}

function wordsOf(table: AssetTable, asset: number, shared: SharedPhrases): Set<string> {
  const words = new Set<string>();
  const document = documentOf({ card: table.card(asset), remainder: table.remainder(asset) });
  for (const [, text] of textsOf(document, shared)) eachTextWord(text, (word) => words.add(word));
  return words;
}
