import { compareUtf8, MEASURES } from '@bindery/contract';
import { AssetTable } from '../asset-table.ts';
import { authorsOf } from '../derived-values.ts';
import { spliceDescriptors } from '../descriptors.ts';
import { ENCODER } from '../encode-index.ts';
import { encodeContentTable, HASH_BYTES } from '../file-closure.ts';
import { encodePrefixes } from '../keywords/encode-keywords.ts';
import { FIELD_BITS, LAYOUT } from '../keywords/keyword-index.ts';
import { ListColumn } from '../list-column.ts';
import { measureSection } from '../measures.ts';
import { ORDER_LAYOUT, titleKey } from '../orders.ts';
import { type Sections, sectionOf } from '../sections.ts';
import { encodeTextColumn, TextColumn } from '../text-column.ts';
import { foldedKey, mostFrequent, partsOf, VALUE_LAYOUT } from '../values.ts';
import { type Numbers, spliceKeyed } from './lists.ts';
import {
  GONE,
  mergeRows,
  placesOf,
  type Rows,
  type Sides,
  spliceLists,
  spliceNumbers,
  spliceTexts,
} from './rows.ts';
import { spliceWords, textsIn } from './splice-words.ts';

/** What of an earlier revision is not taken over: assets that are gone or changed, and files that only these have. */
export interface NotKept {
  assets: ReadonlySet<number>;
  files: ReadonlySet<number>;
}

/**
 * Returns the sections of a revision's index as `encodeRevisionIndex` would, given those of the earlier revision, of this
 * release, and those of what changed, with the same library block and encoded with the phrases that descriptions of the
 * earlier one share. What did not change is taken over unread. Null if other phrases are shared, or if it would take longer.
 */
export function spliceRevisionIndex(sides: Sides<Sections>, notKept: NotKept): Sections | null {
  const merged = (name: string, gone: ReadonlySet<number>) => {
    const columns = {
      earlier: new TextColumn(sides.earlier, name),
      changed: new TextColumn(sides.changed, name),
    };
    const rows = mergeRows(columns, (row) => !gone.has(row));
    return { rows, places: placesOf(rows, columns) };
  };
  const { rows: assets, places: numbers } = merged('assets.ids', notKept.assets);
  const files = merged('files.paths', notKept.files);
  const assetSections = spliceAssets(sides, assets, files.places);
  const table = new AssetTable(assetSections);
  const words = spliceWords(sides, assets, numbers, table);
  if (words === null) return null;
  const keywords = spliceKeywords(sides, numbers);
  const measures = MEASURES.map((measure) =>
    spliceNumbers(sides, assets, measureSection(measure), 'Float64Array'),
  );
  const bytes = Object.assign({}, ...measures)[measureSection('bytes')];
  return Object.assign(
    {},
    spliceTexts(sides, ALONE, ENCODER, 'library'),
    spliceFiles(sides, files.rows),
    assetSections,
    keywords,
    spliceValues(sides, numbers, keywords, table),
    ...measures,
    spliceDescriptors(sides, numbers, GONE),
    spliceOrders(sides, numbers, bytes, table),
    words,
  );
}

/** The one row of both sides. */
const ALONE: Rows = { earlier: Uint32Array.of(0), changed: Uint32Array.of(GONE) };

function spliceFiles(sides: Sides<Sections>, rows: Rows): Sections {
  const hashes = spliceNumbers(sides, rows, 'files.hashes', 'Uint8Array', HASH_BYTES);
  return {
    ...spliceTexts(sides, rows, 'files.paths'),
    ...spliceNumbers(sides, rows, 'files.sizes', 'Float64Array'),
    ...spliceNumbers(sides, rows, 'files.platform', 'Uint8Array'),
    ...hashes,
    ...encodeContentTable(hashes['files.hashes'] as Uint8Array),
  };
}

/** @param places of the files of both sides */
function spliceAssets(sides: Sides<Sections>, assets: Rows, places: Numbers): Sections {
  const placed = (side: keyof Numbers, name: string) =>
    sectionOf(sides[side], name, 'Uint32Array').map((place) => places[side][place] ?? GONE);
  const files = (side: keyof Numbers) => ({
    values: placed(side, 'assets.files'),
    starts: sectionOf(sides[side], 'assets.fileStarts', 'Uint32Array'),
  });
  const thumbnails = (side: keyof Numbers) => ({ 'assets.thumbnails': placed(side, 'assets.thumbnails') });
  const { values, starts } = spliceLists({ earlier: files('earlier'), changed: files('changed') }, assets);
  const pictured = { earlier: thumbnails('earlier'), changed: thumbnails('changed') };
  return {
    ...spliceTexts(sides, assets, 'assets.ids', 'assets.cards', 'assets.remainders'),
    ...spliceNumbers(pictured, assets, 'assets.thumbnails', 'Uint32Array'),
    'assets.files': values,
    'assets.fileStarts': starts,
  };
}

function spliceKeywords(sides: Sides<Sections>, numbers: Numbers): Sections {
  const words = spliceKeyed(sides, { keys: LAYOUT.tokens, lists: LAYOUT.postings }, numbers, FIELD_BITS);
  const facets = spliceKeyed(sides, { keys: LAYOUT.facets, lists: LAYOUT.facetDocuments }, numbers, 0);
  const count = numbers.earlier.filter((number) => number !== GONE).length + numbers.changed.length;
  return {
    [LAYOUT.documentCount]: Uint32Array.of(count),
    ...words.sections,
    ...encodePrefixes(textsIn(words.sections, LAYOUT.tokens), words.lists, count),
    ...facets.sections,
  };
}

type Compare = (asset: number, other: number) => number;

function spliceOrders(
  sides: Sides<Sections>,
  numbers: Numbers,
  bytes: Float64Array,
  table: AssetTable,
): Sections {
  const title = (asset: number) => titleKey(table.card(asset));
  const splice = (name: string, compare: Compare) => {
    const order = sectionOf(sides.earlier, name, 'Uint32Array').map(
      (asset) => numbers.earlier[asset] as number,
    );
    const kept = order.filter((asset) => asset !== GONE);
    return { [name]: inserted(kept, numbers.changed, (a, b) => compare(a, b) || a - b) };
  };
  return {
    ...splice(ORDER_LAYOUT.title, (a, b) => compareUtf8(title(a), title(b))),
    ...splice(ORDER_LAYOUT.size, (a, b) => (bytes[b] as number) - (bytes[a] as number)),
  };
}

/** Inserts a few numbers into an ordered list. */
function inserted(list: Uint32Array, numbers: Uint32Array, compare: Compare): Uint32Array {
  const whole = new Uint32Array(list.length + numbers.length);
  whole.set(list);
  for (const [at, number] of numbers.entries()) {
    let [low, high] = [0, list.length + at];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(whole[middle] as number, number) < 0) low = middle + 1;
      else high = middle;
    }
    whole.copyWithin(low + 1, low, list.length + at);
    whole[low] = number;
  }
  return whole;
}

/** Returns the sections of the value index, given those of the keyword index and the assets of the new revision. */
function spliceValues(
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
