import { sortedByUtf8 } from '@bindery/contract';
import { encodeListColumn } from '../list-column.ts';
import type { Sections } from '../sections.ts';
import { encodeTextColumn } from '../text-column.ts';
import { FIELD_BITS, fieldBit } from './fields.ts';
import { facetKey, LAYOUT } from './layout.ts';
import { mergePrefixes } from './merge-prefixes.ts';
import { Occurrences } from './occurrences.ts';
import { tokenize } from './tokens.ts';

/** The parts of an asset that are searched and filtered by. */
export interface KeywordDocument {
  id: string;
  title: string | null;
  description: string | null;
  tags: readonly string[];
  category: string | null;
  kind: string;
  /** The effective license: the asset's own, else the library's. */
  license: string | null;
}

/** Returns the sections of the keyword index over documents that are in the order of their ids' UTF-8 bytes. */
export function encodeKeywordIndex(documents: Iterable<KeywordDocument>): Sections {
  const terms = new Occurrences();
  const facets = new Occurrences();
  let count = 0;
  for (const document of documents) {
    for (const [token, fields] of fieldsByToken(document)) terms.add(token, (count << FIELD_BITS) | fields);
    for (const key of facetKeys(document)) facets.add(key, count);
    count++;
  }
  const tokens = sortedByUtf8(terms.keys());
  const postings = terms.inOrder(tokens);
  const prefixes = mergePrefixes(tokens, postings, count);
  const values = sortedByUtf8(facets.keys());
  return {
    [LAYOUT.documentCount]: Uint32Array.of(count),
    ...encodeTextColumn(LAYOUT.tokens, tokens),
    ...encodeListColumn(LAYOUT.postings, postings),
    [LAYOUT.prefixes]: prefixes.codes,
    ...encodeListColumn(LAYOUT.prefixPostings, prefixes.postings),
    ...encodeTextColumn(LAYOUT.facets, values),
    ...encodeListColumn(LAYOUT.facetDocuments, facets.inOrder(values)),
  };
}

/** Returns each token of a document with the set of fields that contain it. */
function fieldsByToken({ id, title, description, tags }: KeywordDocument): Map<string, number> {
  const fieldsOf = new Map<string, number>();
  const add = (text: string, bit: number) => {
    for (const token of tokenize(text)) fieldsOf.set(token, (fieldsOf.get(token) ?? 0) | bit);
  };
  add(id, fieldBit('id'));
  add(title ?? '', fieldBit('title'));
  add(description ?? '', fieldBit('description'));
  for (const tag of tags) add(tag, fieldBit('tags'));
  return fieldsOf;
}

function facetKeys({ category, kind, license, tags }: KeywordDocument): Set<string> {
  const keys = new Set([facetKey('kind', kind)]);
  if (category !== null) keys.add(facetKey('category', category));
  if (license !== null) keys.add(facetKey('license', license));
  for (const tag of tags) keys.add(facetKey('tag', tag));
  return keys;
}
