import { sortedByUtf8 } from '@bindery/contract';
import { concatenated, encodeListColumn, type Lists } from '../list-column.ts';
import type { Sections } from '../sections.ts';
import { encodeTextColumn } from '../text-column.ts';
import {
  FIELD_BITS,
  FIELD_MASK,
  facetKey,
  fieldBit,
  LAYOUT,
  MAX_MERGED_PREFIX,
  prefixCode,
  tokenize,
} from './keyword-index.ts';
import { Occurrences } from './occurrences.ts';

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
  const values = sortedByUtf8(facets.keys());
  return {
    [LAYOUT.documentCount]: Uint32Array.of(count),
    ...encodeTextColumn(LAYOUT.tokens, tokens),
    ...encodeListColumn(LAYOUT.postings, postings),
    ...encodePrefixes(tokens, postings, count),
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

/** Prefixes with fewer postings than this are cheap enough unmerged. */
const MERGE_FROM_POSTINGS = 512;

/**
 * Merges the postings of all tokens with the same short prefix, so that a short query token costs one posting per
 * document instead of one per token and document. Returns the sections of the merged ones.
 */
export function encodePrefixes(
  tokens: readonly string[],
  { values: postings, starts }: Lists,
  documentCount: number,
): Sections {
  const merged: { code: number; postings: Uint32Array }[] = [];
  const fieldsOf = new Uint8Array(documentCount);
  const scratch = new Uint32Array(documentCount);
  for (let length = 1; length <= MAX_MERGED_PREFIX; length++) {
    for (const { first, end, prefix } of runsOfPrefix(tokens, length)) {
      const range = postings.subarray(starts[first], starts[end]);
      if (end - first < 2 || range.length < MERGE_FROM_POSTINGS) continue;
      merged.push({ code: prefixCode(prefix), postings: mergePostings(range, fieldsOf, scratch) });
    }
  }
  merged.sort((a, b) => a.code - b.code);
  return {
    [LAYOUT.prefixes]: Uint32Array.from(merged, ({ code }) => code),
    ...encodeListColumn(LAYOUT.prefixPostings, concatenated(merged.map((prefix) => prefix.postings))),
  };
}

/** Yields runs of neighbouring tokens that share their first `length` characters; shorter tokens belong to none. */
function* runsOfPrefix(tokens: readonly string[], length: number) {
  let first = 0;
  while (first < tokens.length) {
    const prefix = (tokens[first] as string).slice(0, length);
    let end = first + 1;
    while (end < tokens.length && (tokens[end] as string).startsWith(prefix)) end++;
    if (prefix.length === length) yield { first, end, prefix };
    first = prefix.length === length ? end : first + 1;
  }
}

/** `fieldsOf` and `merged` are scratch memory, the former all zero before and after. */
function mergePostings(postings: Uint32Array, fieldsOf: Uint8Array, merged: Uint32Array): Uint32Array {
  for (const posting of postings) {
    const document = posting >>> FIELD_BITS;
    fieldsOf[document] = (fieldsOf[document] as number) | (posting & FIELD_MASK);
  }
  let count = 0;
  for (let document = 0; document < fieldsOf.length; document++) {
    const fields = fieldsOf[document] as number;
    if (fields !== 0) merged[count++] = (document << FIELD_BITS) | fields;
  }
  fieldsOf.fill(0);
  return merged.slice(0, count);
}
