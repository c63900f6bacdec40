import type { MatchedTerm, SearchExplanation } from '@bindery/contract';
import { nextTurn, turnIsOver } from '../process/turns.ts';
import type { AssetCard } from '../revision/asset-table.ts';
import {
  FIELD_BITS,
  FIELD_MASK,
  FIELDS,
  type Field,
  fieldBit,
  type KeywordIndex,
  tokenize,
} from '../revision/keywords/keyword-index.ts';
import type { FusedScore } from './fusion.ts';

/** The weight of an exact match in a field; a prefix match counts half (specification, "Search and ranking rules"). */
const FIELD_WEIGHTS: Readonly<Record<Field, number>> = { title: 3, tags: 2, id: 2, description: 1 };

/**
 * The summed weight of every set of fields. A token that matches exactly matches as a prefix too, so in half points a
 * query token scores `WEIGHT_OF[fields with an exact match] + WEIGHT_OF[fields with a prefix match]`.
 */
const WEIGHT_OF: Uint8Array = Uint8Array.from({ length: FIELD_MASK + 1 }, (_, fields) =>
  FIELDS.reduce((sum, field) => sum + (fields & fieldBit(field) ? FIELD_WEIGHTS[field] : 0), 0),
);

/** The most half points that one query token can score. */
const MAX_HALF_POINTS = 2 * (WEIGHT_OF[FIELD_MASK] ?? 0);

/** Postings processed before the search yields: about a millisecond. */
const STRIDE = 250_000;

/** How many generations `seen` can distinguish; see `addUnmerged`. */
const MAX_QUERY_TOKENS = 0xffff >>> FIELD_BITS;

/** Memory for one search at a time: one element per document, initially zero. */
interface ScoreMemory {
  halfPoints: Uint16Array;
  seen: Uint16Array;
}

/** The highest possible score, in half points, of a query with `tokenCount` tokens. */
export function maxHalfPoints(tokenCount: number): number {
  return tokenCount * MAX_HALF_POINTS;
}

/**
 * Adds up the keyword score of every document, in half points (a score is a multiple of 0.5), into `memory.halfPoints`;
 * 0 means no hit. The tokens must be distinct.
 */
export async function scoreKeywords(
  index: KeywordIndex,
  tokens: readonly string[],
  { halfPoints, seen }: ScoreMemory,
): Promise<void> {
  if (tokens.length > MAX_QUERY_TOKENS) throw new RangeError('too many query tokens');
  let generation = 0;
  for (const token of tokens) {
    const { exact, prefix, merged } = index.matches(token);
    generation++;
    for (const stride of strides(exact)) {
      addMerged(stride, halfPoints);
      if (turnIsOver()) await nextTurn();
    }
    for (const stride of strides(prefix)) {
      if (merged) addMerged(stride, halfPoints);
      else addUnmerged(stride, halfPoints, seen, generation);
      if (turnIsOver()) await nextTurn();
    }
  }
}

function* strides(postings: Uint32Array): Generator<Uint32Array> {
  for (let start = 0; start < postings.length; start += STRIDE)
    yield postings.subarray(start, start + STRIDE);
}

/** For postings with at most one per document. */
function addMerged(postings: Uint32Array, halfPoints: Uint16Array): void {
  for (let at = 0; at < postings.length; at++) {
    const posting = postings[at] as number;
    const document = posting >>> FIELD_BITS;
    halfPoints[document] = (halfPoints[document] as number) + (WEIGHT_OF[posting & FIELD_MASK] as number);
  }
}

/**
 * For postings of several tokens with a common prefix: a field counts once, however many of its tokens match. `seen`
 * stores the fields found so far with the generation of their query token, so that it need not be cleared in between.
 */
function addUnmerged(
  postings: Uint32Array,
  halfPoints: Uint16Array,
  seen: Uint16Array,
  generation: number,
): void {
  const mark = generation << FIELD_BITS;
  for (let at = 0; at < postings.length; at++) {
    const posting = postings[at] as number;
    const document = posting >>> FIELD_BITS;
    const before = seen[document] as number;
    const fields = before >>> FIELD_BITS === generation ? before & FIELD_MASK : 0;
    const union = fields | (posting & FIELD_MASK);
    seen[document] = mark | union;
    halfPoints[document] =
      (halfPoints[document] as number) + (WEIGHT_OF[union] as number) - (WEIGHT_OF[fields] as number);
  }
}

/**
 * Explains the rank of a hit from the query's tokens. The weights of the matched terms add up to the keyword score.
 */
export function explainHit(tokens: readonly string[], card: AssetCard, hit: FusedScore): SearchExplanation {
  const { cosine, keyword, vectorPart, keywordPart, score } = hit;
  return { terms: matchedTerms(tokens, card), keyword, cosine, keywordPart, vectorPart, score };
}

function matchedTerms(terms: readonly string[], card: AssetCard): MatchedTerm[] {
  const tokensOf: Record<Field, string[]> = {
    title: tokenize(card.title ?? ''),
    tags: card.tags.flatMap(tokenize),
    id: tokenize(card.assetId),
    description: tokenize(card.description ?? ''),
  };
  return terms.flatMap((term) =>
    FIELDS.flatMap((field): MatchedTerm[] => {
      const weight = FIELD_WEIGHTS[field];
      if (tokensOf[field].includes(term)) return [{ term, field, match: 'exact', weight }];
      const begins = tokensOf[field].some((token) => token.startsWith(term));
      return begins ? [{ term, field, match: 'prefix', weight: weight / 2 }] : [];
    }),
  );
}
