import { sortedByUtf8 } from '@bindery/contract';
import { type Facet, LAYOUT } from '../keywords/layout.ts';
import { encodeListColumn, ListColumn } from '../list-column.ts';
import type { Sections } from '../sections.ts';
import { encodeTextColumn, TextColumn } from '../text-column.ts';
import { foldedKey, VALUE_LAYOUT } from './layout.ts';

/** One spelling of a value with its documents; after `merge`, the most frequent spelling with all documents. */
interface FoldedValue {
  spelling: string;
  documents: Uint32Array;
}

/** Returns the sections of the value index, given those of the keyword index. */
export function encodeValueIndex(keywords: Sections): Sections {
  const written = new TextColumn(keywords, LAYOUT.facets);
  const lists = new ListColumn(keywords, LAYOUT.facetDocuments);
  const values = new Map<string, FoldedValue[]>();
  for (let place = 0; place < written.length; place++) {
    const text = written.at(place);
    const facet = text.slice(0, text.indexOf('\0'));
    const spelling = text.slice(facet.length + 1);
    const key = foldedKey(facet as Facet, spelling);
    const spellings = values.get(key);
    const value = { spelling, documents: lists.at(place) };
    if (spellings) spellings.push(value);
    else values.set(key, [value]);
  }
  const keys = sortedByUtf8(values.keys());
  const merged = keys.map((key) => merge(values.get(key) as FoldedValue[]));
  return {
    ...encodeTextColumn(VALUE_LAYOUT.keys, keys),
    ...encodeTextColumn(
      VALUE_LAYOUT.spellings,
      merged.map(({ spelling }) => spelling),
    ),
    ...encodeListColumn(VALUE_LAYOUT.documents, concatenated(merged.map(({ documents }) => documents))),
  };
}

function merge(spellings: readonly FoldedValue[]): FoldedValue {
  const [first] = spellings.toSorted((a, b) => b.documents.length - a.documents.length);
  if (!first || spellings.length === 1) return first as FoldedValue;
  const documents = new Set(spellings.flatMap((value) => [...value.documents]));
  return { spelling: first.spelling, documents: Uint32Array.from(documents).sort() };
}

function concatenated(lists: readonly Uint32Array[]) {
  const starts = new Uint32Array(lists.length + 1);
  for (const [at, { length }] of lists.entries()) starts[at + 1] = (starts[at] as number) + length;
  const values = new Uint32Array(starts[lists.length] as number);
  for (const [at, list] of lists.entries()) values.set(list, starts[at]);
  return { values, starts };
}
