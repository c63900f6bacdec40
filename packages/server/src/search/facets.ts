import { compareUtf8, type FacetCounts, LIMITS, type SearchFilters } from '@bindery/contract';
import type { SearchContext } from '../context.ts';
import { nextTurn, turnIsOver } from '../process/turns.ts';
import {
  type DocumentSet,
  type Facet,
  type Filters,
  type KeywordIndex,
  queryTokens,
} from '../revision/keywords/keyword-index.ts';
import { findByVector, vectorTarget } from './by-vector.ts';
import { ScratchPool } from './hits.ts';
import { scoreKeywords } from './keyword.ts';
import { type OpenedTarget, openTargets, type Target, type UnreadableTarget } from './targets.ts';

export interface CountRequest extends SearchFilters {
  q: string;
}

const FACETS: readonly Facet[] = ['kind', 'category', 'license', 'tag'];

const scratch = new ScratchPool<Uint16Array>(Uint16Array);

/** A target with the documents that match the query, regardless of filters; null means all documents. */
interface Matched {
  opened: OpenedTarget;
  documents: DocumentSet | null;
}

/**
 * Counts the hits of a search by facet value, over all targets. The hits are those of the search itself: by keyword
 * and, if vectors are used, by vector. Every facet is counted as if there were no filter on it.
 */
export async function countFacets(
  context: SearchContext,
  targets: readonly Target[],
  { q, ...filters }: CountRequest,
): Promise<{ counts: FacetCounts; opened: Target[]; unreadable: UnreadableTarget[] }> {
  const matched: Matched[] = [];
  const opened: Target[] = [];
  const unreadable: UnreadableTarget[] = [];
  for await (const [target, revision] of openTargets(context, targets, unreadable)) {
    matched.push({ opened: revision, documents: await matchKeywords(revision.index.keywords, q) });
    opened.push(target);
  }
  const counts: FacetCounts = { kind: [], category: [], license: [], tag: [] };
  let unfiltered: DocumentSets | undefined;
  for (const facet of FACETS) {
    const asked = filters[facet];
    // Facets without a filter all count the same hits.
    if (asked === undefined) unfiltered ??= await findHits(context, matched, q, filters);
    const sets =
      asked === undefined ? unfiltered : await findHits(context, matched, q, without(filters, facet));
    const counted = await countAll(matched, sets ?? [], facet);
    counts[facet] = mostFrequent(
      [...counted].map(([value, count]) => ({ key: value, value, count })),
      new Map(asked === undefined ? [] : [[asked, asked]]),
    );
  }
  return { counts, opened, unreadable };
}

/** A set of hits per target; null means all of its documents. */
type DocumentSets = (DocumentSet | null)[];

async function matchKeywords(index: KeywordIndex, q: string): Promise<DocumentSet | null> {
  if (q === '') return null;
  const { documentCount } = index;
  const memory = { halfPoints: scratch.borrow(documentCount), seen: scratch.borrow(documentCount) };
  await scoreKeywords(index, queryTokens(q), memory);
  const documents = Uint8Array.from(memory.halfPoints, (score) => (score > 0 ? 1 : 0));
  scratch.giveBack(memory.halfPoints);
  scratch.giveBack(memory.seen);
  return documents;
}

/** Returns the hits of a search with these filters. */
async function findHits(
  context: SearchContext,
  matched: readonly Matched[],
  q: string,
  filters: Filters,
): Promise<DocumentSets> {
  const selected = matched.map(({ opened }) => opened.index.keywords.select(filters));
  const sets = matched.map(({ documents }, at) => intersect(documents, selected[at] ?? null));
  const { candidates } = await findByVector(
    context,
    q,
    matched.map(({ opened }, at) => vectorTarget(opened, selected[at] ?? null)),
  );
  for (const { target, document } of candidates ?? []) {
    const set = sets[target];
    if (set) set[document] = 1;
  }
  return sets;
}

/** Returns a new set, which the caller can add to; null if both are everything. */
function intersect(one: DocumentSet | null, other: DocumentSet | null): DocumentSet | null {
  if (one === null || other === null) return (one ?? other)?.slice() ?? null;
  return one.map((present, document) => present & (other[document] as number));
}

async function countAll(
  matched: readonly Matched[],
  sets: DocumentSets,
  facet: Facet,
): Promise<Map<string, number>> {
  const total = new Map<string, number>();
  for (const [at, { opened }] of matched.entries()) {
    for (const [value, count] of opened.index.keywords.count(facet, sets[at] ?? null)) {
      total.set(value, (total.get(value) ?? 0) + count);
    }
    if (turnIsOver()) await nextTurn();
  }
  return total;
}

function without(filters: Filters, facet: Facet): Filters {
  return { ...filters, [facet]: undefined };
}

/** How many hits have a value; `key` identifies the value. */
export interface ValueCount {
  key: string;
  value: string;
  count: number;
}

/** Returns the most frequent values and all `asked` ones (by key), with a count of 0 if they were not counted. */
export function mostFrequent(
  counts: Iterable<ValueCount>,
  asked: ReadonlyMap<string, string> = new Map(),
): { value: string; count: number }[] {
  const sorted = [...counts].sort((a, b) => b.count - a.count || compareUtf8(a.key, b.key));
  const top = sorted.slice(0, LIMITS.facetValues - asked.size);
  const shown = new Set(top.map(({ key }) => key));
  const added = [...asked]
    .filter(([key]) => !shown.has(key))
    .map(([key, value]) => sorted.find((one) => one.key === key) ?? { key, value, count: 0 });
  return [...added, ...top].map(({ value, count }) => ({ value, count }));
}

/** Returns the lowest count that can be among the `kept` highest; at least 1. */
export function minTopCount(counts: Uint32Array, kept: number): number {
  if (counts.length <= kept) return 1;
  const most = counts.reduce((most, count) => Math.max(most, count));
  const having = new Uint32Array(most + 1);
  for (let at = 0; at < counts.length; at++) {
    const count = counts[at] as number;
    having[count] = (having[count] as number) + 1;
  }
  let shown = 0;
  for (let count = most; count > 1; count--) {
    shown += having[count] as number;
    if (shown >= kept) return count;
  }
  return 1;
}
