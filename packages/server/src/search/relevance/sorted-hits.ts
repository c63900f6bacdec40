import { compareUtf8 } from '@bindery/contract';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { type Orders, titleKey } from '../../revision/orders.ts';
import type { RelevanceIndex } from '../../revision/revision-index.ts';
import type { FusedHit, FusedScore } from '../fusion.ts';
import type { HitPage, PageRange } from '../ranking.ts';

/** Orders of hits other than by relevance. */
export type Sort = 'newest' | 'title' | 'size';

type SortValue = string | number;

interface SortedHit extends FusedHit {
  value: SortValue;
}

/** How assets are sorted: by which value, how values compare, and which order stored in an index matches, if any. */
interface SortRule {
  value(index: RelevanceIndex, document: number, updatedAt: number): SortValue;
  compare(a: SortValue, b: SortValue): number;
  order: keyof Orders | null;
}

const highestFirst = (a: SortValue, b: SortValue) => Number(b) - Number(a);

const RULES: Readonly<Record<Sort, SortRule>> = {
  // Assets have no timestamps: that of their library counts.
  newest: { value: (_index, _document, updatedAt) => updatedAt, compare: highestFirst, order: null },
  title: {
    value: (index, document) => titleKey(index.card(document)),
    compare: (a, b) => compareUtf8(String(a), String(b)),
    order: 'title',
  },
  size: { value: (index, document) => bytesOf(index, document), compare: highestFirst, order: 'size' },
};

/**
 * A page of hits in an order other than by relevance, collected from one index after another. The documents of each
 * index are visited in that order, so once a hit would rank after the page, the rest of the index is only counted.
 */
export class SortedHits {
  readonly #rule: SortRule;
  readonly #range: PageRange;
  readonly #end: number;
  #best: SortedHit[] = [];
  #total = 0;

  constructor(sort: Sort, range: PageRange) {
    this.#rule = RULES[sort];
    this.#range = range;
    this.#end = range.offset + range.limit;
  }

  /** Adds the hits of one more index; `scoreOf` returns null for a document that is not a hit. */
  async add(
    target: number,
    { index, updatedAt }: { index: RelevanceIndex; updatedAt: number },
    scoreOf: (document: number) => FusedScore | null,
  ): Promise<void> {
    const { value, compare, order } = this.#rule;
    const found: SortedHit[] = [];
    const worst = this.#best.length === this.#end ? this.#best.at(-1) : undefined;
    let open = true;
    for (let at = 0; at < index.assetCount; at++) {
      const document = order === null ? at : (index.orders[order][at] as number);
      const score = scoreOf(document);
      if (score !== null) {
        this.#total++;
        if (open) {
          const hit = { target, document, ...score, value: value(index, document, updatedAt) };
          open = found.length < this.#end && (worst === undefined || compare(hit.value, worst.value) < 0);
          if (open) found.push(hit);
        }
      }
      if (at % 256 === 0 && turnIsOver()) await nextTurn();
    }
    if (found.length > 0) this.#best = merged(this.#best, found, compare).slice(0, this.#end);
    if (turnIsOver()) await nextTurn();
  }

  page(): HitPage {
    const hits = this.#best.slice(this.#range.offset).map(({ value: _, ...hit }) => hit);
    return { total: this.#total, hits };
  }
}

/** Merges two sorted lists; on ties the hits of the first list come first. */
function merged(
  one: readonly SortedHit[],
  other: readonly SortedHit[],
  compare: SortRule['compare'],
): SortedHit[] {
  const all: SortedHit[] = [];
  let next = 0;
  for (const hit of other) {
    while (next < one.length && compare((one[next] as SortedHit).value, hit.value) <= 0)
      all.push(one[next++] as SortedHit);
    all.push(hit);
  }
  for (; next < one.length; next++) all.push(one[next] as SortedHit);
  return all;
}

function bytesOf(index: RelevanceIndex, document: number): number {
  let bytes = 0;
  for (const file of index.filesOf(document)) bytes += index.files.size(file);
  return bytes;
}
