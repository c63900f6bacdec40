import {
  type AskedFilters,
  isLicenseClass,
  isMeasure,
  LIMITS,
  MEASURES,
  type Measure,
  type RelevanceFacets,
  readRange,
  SEARCH_FACETS,
  SEARCH_FILTERS,
  type SearchFacet,
  type SearchFilter,
} from '@bindery/contract';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { COUNTED_RANGES, type ValueFacet } from '../../revision/derived-values.ts';
import { isUnmeasured } from '../../revision/measures.ts';
import type { ValueIndex } from '../../revision/values.ts';
import type { Proposal, RelatedAsset } from '../engine/propose.ts';
import { mostFrequent, type ValueCount } from '../facets.ts';
import { documentsWithin, missBit } from './conditions.ts';
import type { OpenedSource } from './sources.ts';
import { type CountedValues, topValues } from './top-values.ts';

/** How many values are counted between checks whether to yield. */
const STRIDE = 2_048;

type FacetCount = RelevanceFacets[SearchFacet][number];

/** Counts hits by facet value, over one source after another, ignoring letter case. */
export class FacetTally {
  readonly #counts = new Map<SearchFacet, Map<string, ValueCount>>(
    SEARCH_FACETS.map((facet) => [facet, new Map()]),
  );
  /** How many hits there are without each filter that was asked for. */
  readonly #without = new Map<SearchFilter, number>();
  /** Of those without the filter of a measure, how many were never measured. */
  readonly #unmeasured = new Map<SearchFilter, number>();
  /** What was counted in each source. */
  readonly #columns = new Map<ValueFacet, CountedValues[]>();
  readonly #asked: AskedFilters;

  constructor(asked: AskedFilters) {
    this.#asked = asked;
    for (const facet of SEARCH_FACETS) if (facet !== 'library') this.#columns.set(facet, []);
  }

  /** Counts the documents of a source; `countedIn` has the facets that each is counted in, as bits. */
  async add(source: OpenedSource, nameOf: (target: number) => string, countedIn: Uint16Array): Promise<void> {
    for (const filter of SEARCH_FILTERS) {
      if (this.#asked[filter] !== undefined)
        this.#without.set(filter, this.without(filter) + countWith(countedIn, missBit(filter)));
      if (this.#asked[filter] !== undefined && isMeasure(filter) && filter !== 'bytes') {
        const isUnknown = (document: number) => isUnmeasured(source.measures, document);
        const count = countWith(countedIn, missBit(filter), isUnknown);
        this.#unmeasured.set(filter, this.unmeasured(filter) + count);
      }
    }
    for (const facet of SEARCH_FACETS) {
      if (facet === 'library') this.#addLibraries(source, nameOf, countedIn);
      else await this.#countValues(facet, source.values, countedIn);
      if (isMeasure(facet)) this.#addAskedRanges(facet, source, countedIn);
    }
  }

  /** Adds what the search engine counted, and the related assets that it found. */
  addProposed(
    { counts, related }: NonNullable<Proposal['facets']>,
    nameOf: (target: number) => string,
  ): void {
    const raise = (sums: Map<SearchFilter, number>, filter: SearchFilter, count: number) =>
      sums.set(filter, (sums.get(filter) ?? 0) + count);
    for (const [filter, count] of counts?.without ?? []) raise(this.#without, filter, count);
    for (const [filter, count] of counts?.unmeasured ?? []) raise(this.#unmeasured, filter, count);
    for (const [facet, values] of counts?.values ?? [])
      for (const { key, value, count } of values) this.#add(facet, key, value, count);
    for (const [target, count] of counts?.targets ?? [])
      this.#add('library', nameOf(target), nameOf(target), count);
    for (const { target, candidate, filters } of related) {
      for (const filter of filters) {
        if (this.#asked[filter] !== undefined) raise(this.#without, filter, 1);
        if (filter === 'library') this.#add('library', nameOf(target), nameOf(target), 1);
      }
      for (const [facet, key, value] of candidate.values)
        if (filters.includes(filterOf(facet))) this.#add(facet, key, value, 1);
      for (const facet of MEASURES) if (filters.includes(facet)) this.#addAskedRangesOf(candidate, facet);
    }
  }

  /** Returns how many hits there are without this filter, which was asked for. */
  without(filter: SearchFilter): number {
    return this.#without.get(filter) ?? 0;
  }

  /** Returns how many of these hits were never measured, if the filter is about a measure. */
  unmeasured(filter: SearchFilter): number {
    return this.#unmeasured.get(filter) ?? 0;
  }

  /** Returns the counts of the most frequent values, and of those that were asked for. */
  async lists(): Promise<RelevanceFacets> {
    const entries: [SearchFacet, FacetCount[]][] = [];
    for (const facet of SEARCH_FACETS) {
      const asked = new Map(this.#askedOf(facet).map((value) => [value.toLowerCase(), value]));
      const counted = facet === 'library' ? [] : (this.#columns.get(facet) ?? []);
      for (const { key, value, count } of await topValues(counted, LIMITS.facetValues, asked.keys()))
        this.#add(facet, key, value, count);
      if (facet !== 'library') this.#columns.set(facet, []);
      entries.push([facet, mostFrequent(this.#counts.get(facet)?.values() ?? [], asked)]);
    }
    return Object.fromEntries(entries) as RelevanceFacets;
  }

  async #countValues(facet: ValueFacet, values: ValueIndex, countedIn: Uint16Array): Promise<void> {
    const { first, end } = values.rangeOf(facet);
    const counts = new Uint32Array(end - first);
    for (let start = first; start < end; start += STRIDE) {
      const range = { first: start, end: Math.min(end, start + STRIDE) };
      counts.set(
        values.countMarked(range, { table: countedIn, bit: missBit(filterOf(facet)) }),
        start - first,
      );
      if (turnIsOver()) await nextTurn();
    }
    this.#columns.get(facet)?.push({ facet, values, first, counts });
  }

  #addLibraries({ members }: OpenedSource, nameOf: (target: number) => string, countedIn: Uint16Array): void {
    for (const { target, first, count } of members) {
      const hits = countWith(countedIn.subarray(first, first + count), missBit('library'));
      if (hits > 0) this.#add('library', nameOf(target), nameOf(target), hits);
    }
  }

  /** Counts the ranges that were asked for, unless they are among those that are always counted. */
  #addAskedRanges(facet: Measure, { measures }: OpenedSource, countedIn: Uint16Array): void {
    const always = new Set(COUNTED_RANGES[facet]);
    for (const range of new Set(this.#asked[facet])) {
      if (always.has(range)) continue;
      const within = documentsWithin(measures[facet], [range]);
      const bit = missBit(facet);
      this.#add(
        facet,
        range,
        range,
        within.reduce(
          (sum, is, at) => sum + (is === 1 && ((countedIn[at] as number) & bit) !== 0 ? 1 : 0),
          0,
        ),
      );
    }
  }

  /** The same for one asset, of which the ranges that are always counted are values. */
  #addAskedRangesOf({ measures }: RelatedAsset['candidate'], facet: Measure): void {
    const always = new Set(COUNTED_RANGES[facet]);
    const value = measures[facet] ?? Number.NaN;
    for (const range of new Set(this.#asked[facet])) {
      const read = readRange(range);
      if (!always.has(range) && read !== null && value >= read.least && value <= read.most)
        this.#add(facet, range, range, 1);
    }
  }

  #askedOf(facet: SearchFacet): readonly string[] {
    if (facet !== 'license' && facet !== 'licenseClass') return this.#asked[facet] ?? [];
    return (this.#asked.license ?? []).filter(
      (value) => isLicenseClass(value) === (facet === 'licenseClass'),
    );
  }

  #add(facet: SearchFacet, key: string, value: string, count: number): void {
    if (count === 0) return;
    const known = this.#counts.get(facet)?.get(key);
    if (known) known.count += count;
    else this.#counts.get(facet)?.set(key, { key, value, count });
  }
}

/** The filter that takes the values of a facet. */
function filterOf(facet: SearchFacet): SearchFilter {
  return facet === 'licenseClass' ? 'license' : facet;
}

function countWith(countedIn: Uint16Array, bit: number, counts = (_document: number) => true): number {
  let count = 0;
  for (let document = 0; document < countedIn.length; document++) {
    if (((countedIn[document] as number) & bit) !== 0 && counts(document)) count++;
  }
  return count;
}
