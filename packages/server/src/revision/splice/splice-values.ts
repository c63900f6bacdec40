import type { AssetTable } from '../asset-table.ts';
import { authorsOf } from '../derived-values.ts';
import { LAYOUT } from '../keywords/keyword-index.ts';
import { ListColumn } from '../list-column.ts';
import type { Sections } from '../sections.ts';
import { encodeTextColumn, TextColumn } from '../text-column.ts';
import { foldedKey, mostFrequent, partsOf, VALUE_LAYOUT } from '../values.ts';
import { type Numbers, spliceKeyed } from './lists.ts';
import { GONE, type Sides } from './rows.ts';

/** Returns the sections of the value index, given those of the keyword index and the assets of the new revision. */
export function spliceValues(
  sides: Sides<Sections>,
  numbers: Numbers,
  keywords: Sections,
  table: AssetTable,
): Sections {
  const names = { keys: VALUE_LAYOUT.keys, lists: VALUE_LAYOUT.documents };
  const { sections, rows, lists } = spliceKeyed(sides, names, numbers, 0);
  const keys = new TextColumn(sections, VALUE_LAYOUT.keys);
  const earlier = new TextColumn(sides.earlier, VALUE_LAYOUT.spellings);
  const changed = new TextColumn(sides.changed, VALUE_LAYOUT.spellings);
  const before = new ListColumn(sides.earlier, VALUE_LAYOUT.documents);
  const ofFacets = spellingsOfFacets(keywords);
  const spellings = Array.from(rows.earlier, (row, place) => {
    const change = rows.changed[place] as number;
    if (row === GONE) return changed.at(change);
    const documents = lists.values.subarray(lists.starts[place], lists.starts[place + 1]);
    if (change === GONE && documents.length === before.lengthOf(row)) return earlier.at(row);
    const key = keys.at(place);
    const counts = ofFacets.get(key) ?? spellingsOfAuthor(key, documents, table);
    // Other values are written in one way.
    return counts.size === 0 ? earlier.at(row) : mostFrequent(counts);
  });
  return { ...sections, ...encodeTextColumn(VALUE_LAYOUT.spellings, spellings) };
}

type Counts = Map<string, number>;

/** Counts the spellings of the values by which the specification has assets filtered, which are one in this index. */
function spellingsOfFacets(keywords: Sections): ReadonlyMap<string, Counts> {
  const written = new TextColumn(keywords, LAYOUT.facets);
  const documents = new ListColumn(keywords, LAYOUT.facetDocuments);
  const byKey = new Map<string, Counts>();
  for (let place = 0; place < written.length; place++) {
    const [facet, spelling] = partsOf(written.at(place));
    const key = foldedKey(facet, spelling);
    const counts: Counts = byKey.get(key) ?? new Map();
    byKey.set(key, counts.set(spelling, documents.lengthOf(place)));
  }
  return byKey;
}

/** Counts the spellings of an author; none for another value. */
function spellingsOfAuthor(key: string, documents: Uint32Array, table: AssetTable): Counts {
  const counts: Counts = new Map();
  if (!key.startsWith(foldedKey('author', ''))) return counts;
  for (const asset of documents)
    for (const author of authorsOf(table.remainder(asset).attribution ?? ''))
      if (foldedKey('author', author) === key) counts.set(author, (counts.get(author) ?? 0) + 1);
  return counts;
}
