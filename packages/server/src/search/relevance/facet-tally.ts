import { LIMITS, type RelevanceFacets } from '@bindery/contract';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { Facet } from '../../revision/keywords/keyword-index.ts';
import type { RelevanceIndex } from '../../revision/revision-index.ts';
import type { ValueIndex } from '../../revision/values.ts';
import { minTopCount, mostFrequent, type ValueCount } from '../facets.ts';
import { missBit, RELEVANCE_FACETS, type RelevanceFacet } from './conditions.ts';

/** How many values are counted between checks whether to yield. */
const STRIDE = 2_048;

export type AskedValues = { readonly [facet in RelevanceFacet]?: readonly string[] | undefined };

/** Counts hits by facet value, over one index after another, ignoring letter case. */
export class FacetTally {
  readonly #counts = new Map<RelevanceFacet, Map<string, ValueCount>>(
    RELEVANCE_FACETS.map((facet) => [facet, new Map()]),
  );
  readonly #targetCount: number;
  readonly #asked: AskedValues;

  /** @param targetCount how many indexes there are */
  constructor(targetCount: number, asked: AskedValues) {
    this.#targetCount = targetCount;
    this.#asked = asked;
  }

  /** Counts the documents of an index; `countedIn` has the facets that each is counted in, as bits. */
  async add(index: RelevanceIndex, library: string, countedIn: Uint8Array): Promise<void> {
    for (const facet of RELEVANCE_FACETS) {
      if (facet === 'library') this.#add(facet, library, library, countWith(countedIn, missBit(facet)));
      else await this.#addValues(facet, index.values, countedIn);
    }
  }

  lists(): RelevanceFacets {
    const entries = RELEVANCE_FACETS.map((facet) => {
      const asked = new Map((this.#asked[facet] ?? []).map((value) => [value.toLowerCase(), value]));
      return [facet, mostFrequent(this.#counts.get(facet)?.values() ?? [], asked)];
    });
    return Object.fromEntries(entries) as RelevanceFacets;
  }

  async #addValues(facet: Facet, values: ValueIndex, countedIn: Uint8Array): Promise<void> {
    const { first, end } = values.rangeOf(facet);
    const counts = new Uint32Array(end - first);
    for (let start = first; start < end; start += STRIDE) {
      const range = { first: start, end: Math.min(end, start + STRIDE) };
      counts.set(values.countMarked(range, { table: countedIn, bit: missBit(facet) }), start - first);
      if (turnIsOver()) await nextTurn();
    }
    const asked = new Set(this.#asked[facet]?.map((value) => value.toLowerCase()));
    const least =
      this.#targetCount === 1 && asked.size === 0
        ? minTopCount(counts, countedIn.length, LIMITS.facetValues)
        : 1;
    for (let at = 0; at < counts.length; at++) {
      const count = counts[at] as number;
      if (count < least) continue;
      this.#add(facet, values.folded(facet, first + at), () => values.spelling(first + at), count);
      if (this.#targetCount > 1 && at % 64 === 0 && turnIsOver()) await nextTurn();
    }
  }

  #add(facet: RelevanceFacet, key: string, value: string | (() => string), count: number): void {
    if (count === 0) return;
    const known = this.#counts.get(facet)?.get(key);
    if (known) known.count += count;
    else
      this.#counts.get(facet)?.set(key, { key, value: typeof value === 'string' ? value : value(), count });
  }
}

function countWith(countedIn: Uint8Array, bit: number): number {
  let count = 0;
  for (let document = 0; document < countedIn.length; document++) {
    if (((countedIn[document] as number) & bit) !== 0) count++;
  }
  return count;
}
