import type { Lists } from '../list-column.ts';
import { FIELD_BITS, FIELD_MASK } from './fields.ts';
import { GrowingUint32Array } from './growing-array.ts';
import { LONGEST_MERGED_PREFIX, prefixCode } from './layout.ts';

/** Prefixes with fewer postings than this are cheap enough unmerged. */
const MERGE_FROM_POSTINGS = 512;

export interface MergedPrefixes {
  /** Codes of the merged prefixes, ascending. */
  codes: Uint32Array;
  /** For each of them, one posting per document, with the union of the fields. */
  postings: Lists;
}

/**
 * Merges the postings of all tokens with the same short prefix, so that a short query token costs one posting per
 * document instead of one per token and document.
 */
export function mergePrefixes(
  tokens: readonly string[],
  { values: postings, starts }: Lists,
  documentCount: number,
): MergedPrefixes {
  const merged: { code: number; postings: Uint32Array }[] = [];
  const fieldsOf = new Uint8Array(documentCount);
  for (let length = 1; length <= LONGEST_MERGED_PREFIX; length++) {
    for (const { first, end, prefix } of runsOfPrefix(tokens, length)) {
      const range = postings.subarray(starts[first], starts[end]);
      if (end - first < 2 || range.length < MERGE_FROM_POSTINGS) continue;
      merged.push({ code: prefixCode(prefix), postings: mergePostings(range, fieldsOf) });
    }
  }
  merged.sort((a, b) => a.code - b.code);
  return layOut(merged);
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

/** `fieldsOf` is scratch memory: all zero before and after. */
function mergePostings(postings: Uint32Array, fieldsOf: Uint8Array): Uint32Array {
  for (const posting of postings) {
    const document = posting >>> FIELD_BITS;
    fieldsOf[document] = (fieldsOf[document] as number) | (posting & FIELD_MASK);
  }
  const merged = new GrowingUint32Array();
  for (let document = 0; document < fieldsOf.length; document++) {
    const fields = fieldsOf[document] as number;
    if (fields !== 0) merged.push((document << FIELD_BITS) | fields);
  }
  fieldsOf.fill(0);
  return merged.toArray().slice();
}

function layOut(merged: readonly { code: number; postings: Uint32Array }[]): MergedPrefixes {
  const starts = new Uint32Array(merged.length + 1);
  merged.forEach(({ postings }, n) => {
    starts[n + 1] = (starts[n] as number) + postings.length;
  });
  const all = new Uint32Array(starts[merged.length] as number);
  merged.forEach(({ postings }, n) => {
    all.set(postings, starts[n]);
  });
  return { codes: Uint32Array.from(merged, ({ code }) => code), postings: { values: all, starts } };
}
