import { nextTurn, turnIsOver } from '../../process/turns.ts';
import {
  type AlikeCandidate,
  type CandidateRequest,
  type CountedValue,
  type EngineCandidate,
  type EngineCandidates,
  type EngineFilters,
  type EngineScope,
  EngineUnavailable,
  type NamedCandidate,
  type NearestCandidate,
  type SearchEngine,
} from '../../search/engine/search-engine.ts';
import type { Alternative } from '../../search/relevance/query.ts';
import type { DescribedAsset } from '../../search/segments/segment-index.ts';
import type { Part } from '../../search/understanding/part.ts';
import { OpenSearchCalls } from './client.ts';
import {
  decodeCandidate,
  decodeDescribed,
  decodeMeasures,
  decodeValues,
  type FoundDocument,
} from './documents.ts';
import { type Aggregations, decodeCounts, facetAggregations, librariesOf, valuesOf } from './facets.ts';
import { OpenSearchIndex, type Shards } from './opensearch-index.ts';
import {
  all,
  filterConditions,
  inScope,
  matching,
  meets,
  NAME_FIELDS,
  phraseConditions,
  type Query,
  wordsQuery,
} from './queries.ts';

/** How many assets one request reads, so that an answer is parsed in a few milliseconds. */
const READ_AT_ONCE = 200;

/** How many numbers of libraries one request of many counts names, in all. */
const NUMBERS_AT_ONCE = 200_000;

/** How many assets are read for the words that are similar to a mistyped one. */
const READ_FOR_SPELLINGS = 100;

/** How many neighbours are looked for, the nearest of which are used: with as many as are used, one in twenty is missed. */
const NEIGHBOURS = 500;

interface SearchAnswer {
  timed_out: boolean;
  _shards: Shards;
  hits: { total?: { value: number; relation: 'eq' | 'gte' }; hits: FoundDocument[] };
  aggregations?: Aggregations;
  error?: { type: string; reason: string };
}

/** What every search is asked: an answer of all shards, or none. */
const WHOLE = { _source: false, allow_partial_search_results: false } as const;

/** A cluster of OpenSearch with the plugin for nearest neighbours. */
export class OpenSearchEngine extends OpenSearchIndex implements SearchEngine {
  readonly #calls: OpenSearchCalls;

  constructor(calls: OpenSearchCalls) {
    super(calls);
    this.#calls = calls;
  }

  /** Connects to the cluster at a URL, which can name a user with a password. */
  static async connect(url: string): Promise<OpenSearchEngine> {
    const { Client } = await import('@opensearch-project/opensearch');
    return new OpenSearchEngine(new OpenSearchCalls(new Client({ node: url })));
  }

  async known(scope: EngineScope, parts: readonly Part[]): Promise<boolean[]> {
    const counts = await this.#counts(scope, parts.map(meets));
    return counts.map((count) => count > 0);
  }

  frequencies(scope: EngineScope, alternatives: readonly Alternative[]): Promise<number[]> {
    return this.#counts(
      scope,
      alternatives.map((alternative) => matching(alternative)),
    );
  }

  async spellings(scope: EngineScope, word: string, edits: number): Promise<string[]> {
    const fuzzy = { value: word, fuzziness: edits, transpositions: true, max_expansions: 1_000 };
    const { hits } = await this.#search(scope, {
      query: { bool: { filter: inScope(scope), must: [{ fuzzy: { written: fuzzy } }] } },
      size: READ_FOR_SPELLINGS,
      stored_fields: ['ranked'],
    });
    const nearby = (written: string) => Math.abs(written.length - word.length) <= edits;
    return [
      ...new Set(
        hits.hits.flatMap((hit) =>
          decodeCandidate(hit).terms.flatMap(({ written }) => written.filter(nearby)),
        ),
      ),
    ];
  }

  async candidates(
    scope: EngineScope,
    { filters, slots, first, count, facets }: CandidateRequest,
  ): Promise<EngineCandidates> {
    const conditions = [...filterConditions(filters).values()];
    const { hits, aggregations } = await this.#search(scope, {
      query: found(scope, { filters, slots }, facets ? [] : conditions),
      ...(facets && { post_filter: all(conditions), aggs: facetAggregations(filters, scope) }),
      size: count,
      track_total_hits: true,
      sort: SORTS[first],
    });
    return {
      total: hits.total?.value ?? 0,
      candidates: await this.#read(
        scope.index,
        hits.hits.map(({ _id }) => _id),
      ),
      counts: aggregations ? decodeCounts(aggregations, filters) : null,
    };
  }

  async countLibraries(
    scope: EngineScope,
    request: Pick<CandidateRequest, 'filters' | 'slots'>,
  ): Promise<ReadonlyMap<number, number>> {
    const conditions = [...filterConditions(request.filters).values()];
    const size = Math.max(1, scope.libraries.length);
    const { aggregations } = await this.#search(scope, {
      query: found(scope, request, conditions),
      aggs: { libraries: { terms: { field: 'library', size } } },
      size: 0,
    });
    return librariesOf((aggregations?.libraries as unknown as Aggregations[string]['values'])?.buckets ?? []);
  }

  async nearest(
    scope: EngineScope,
    { filters, vector, count }: { filters: EngineFilters; vector: Float32Array; count: number },
  ): Promise<NearestCandidate[]> {
    const filter = all([
      ...inScope(scope),
      ...phraseConditions(filters.query),
      ...filterConditions(filters).values(),
    ]);
    const { hits } = await this.#search(scope, {
      query: { knn: { vector: { vector: [...vector], k: NEIGHBOURS, filter } } },
      size: count,
      stored_fields: ['ranked'],
      docvalue_fields: ['counted.*', 'measures.*'],
    });
    return hits.hits.map((hit) => ({
      ...decodeCandidate(hit),
      // The engine scores (1 + cosine) / 2.
      cosine: 2 * (hit._score ?? 0) - 1,
      values: decodeValues(hit),
      measures: decodeMeasures(hit),
    }));
  }

  async alike(
    scope: EngineScope,
    { filters, part, bytes, count }: Parameters<SearchEngine['alike']>[1],
  ): Promise<AlikeCandidate[]> {
    const filter = all([...inScope(scope), ...filterConditions(filters).values()]);
    const near = (field: string) => ({ knn: { [field]: { vector: [...bytes], k: NEIGHBOURS, filter } } });
    const { hits } = await this.#search(scope, {
      query:
        part === 'shape'
          ? near(part)
          : { nested: { path: part, query: near(NESTED[part]), score_mode: 'max' } },
      size: count,
      stored_fields: ['descriptor', 'describedHands'],
      docvalue_fields: ['library', 'asset'],
    });
    return hits.hits.map(decodeDescribed);
  }

  async describe({ index }: EngineScope, ids: readonly string[]): Promise<(DescribedAsset | null)[]> {
    if (ids.length === 0) return [];
    const found = await this.#get<{ shown: [string] }>(index, 'shown', ids);
    return found.map(({ fields }) => (fields ? JSON.parse(fields.shown[0]) : null));
  }

  async complete(
    scope: EngineScope,
    { beginning, words, count }: { beginning: string; words: readonly Alternative[]; count: number },
  ): Promise<{ tags: CountedValue[]; named: NamedCandidate[] }> {
    const include = `${escapeExpression(beginning.toLowerCase())}.*`;
    const inTitle = all(words.map((word) => matching(word, NAME_FIELDS.slice(0, 1))));
    const isNamed = words.map((word) => matching(word, NAME_FIELDS));
    const aggregation = { terms: { field: 'counted.tag', size: 3 * count, include } };
    const [tags, named] = await Promise.all([
      this.#search(scope, { query: all(inScope(scope)), size: 0, aggs: { tags: aggregation } }),
      words.length === 0
        ? null
        : this.#search(scope, {
            query: {
              bool: {
                filter: [...inScope(scope), ...isNamed],
                should: [{ constant_score: { filter: inTitle, boost: 1 } }],
              },
            },
            size: count,
            stored_fields: ['ranked'],
            sort: ['_score', { titleLength: 'asc' }, { library: 'asc' }, { asset: 'asc' }],
          }),
    ]);
    const values = tags.aggregations?.tags as unknown as Aggregations[string]['values'];
    return {
      tags: valuesOf(values ? { values } : {}),
      named:
        named?.hits.hits.map((hit) => ({ ...decodeCandidate(hit), isInTitle: (hit._score ?? 0) > 0 })) ?? [],
    };
  }

  close(): Promise<void> {
    return this.#calls.close();
  }

  /** Reads what ranking needs of candidates, in their order; those that are gone are left out. */
  async #read(index: string, ids: readonly string[]): Promise<EngineCandidate[]> {
    const candidates: EngineCandidate[] = [];
    for (let start = 0; start < ids.length; start += READ_AT_ONCE) {
      const some = ids.slice(start, start + READ_AT_ONCE);
      for (const { _id, fields } of await this.#get<{ ranked: [string] }>(index, 'ranked', some)) {
        if (fields) candidates.push(decodeCandidate({ _id, fields }));
        if (turnIsOver()) await nextTurn();
      }
    }
    return candidates;
  }

  async #get<Fields>(
    index: string,
    field: string,
    ids: readonly string[],
  ): Promise<{ _id: string; fields?: Fields }[]> {
    const { docs } = await this.#calls.search<{ docs: { _id: string; fields?: Fields }[] }>({
      method: 'POST',
      path: `/${index}/_mget`,
      query: { _source: false, stored_fields: field, realtime: false },
      body: { ids },
    });
    return docs;
  }

  /** Counts what meets each query in the scope. */
  async #counts({ index, ...scope }: EngineScope, queries: readonly Query[]): Promise<number[]> {
    // Written once, since a scope can be long.
    const inside = inScope(scope).map((query) => JSON.stringify(query));
    const atOnce = Math.max(1, Math.floor(NUMBERS_AT_ONCE / scope.libraries.length));
    const counts: number[] = [];
    for (let start = 0; start < queries.length; start += atOnce) {
      const body = queries.slice(start, start + atOnce).flatMap((query) => {
        const filter = [...inside, JSON.stringify(query)].join(',');
        const counted = '"size":0,"track_total_hits":true';
        return [
          '{"allow_partial_search_results":false}',
          `{"query":{"bool":{"filter":[${filter}]}},${counted}}`,
        ];
      });
      const path = `/${index}/_msearch`;
      const { responses } = await this.#calls.search<{ responses: SearchAnswer[] }>({
        method: 'POST',
        path,
        body,
      });
      counts.push(...responses.map((answer) => whole(answer).hits.total?.value ?? 0));
      if (turnIsOver()) await nextTurn();
    }
    return counts;
  }

  async #search({ index }: EngineScope, { _source, ...body }: Query): Promise<SearchAnswer> {
    const { allow_partial_search_results } = WHOLE;
    return whole(
      await this.#calls.search<SearchAnswer>({
        method: 'POST',
        path: `/${index}/_search`,
        query: { allow_partial_search_results },
        body: { ...body, _source: WHOLE._source },
      }),
    );
  }
}

/** The vectors of what an asset has several of. */
const NESTED = { hands: 'hands.hand', outlines: 'outlines.outline' } as const;

const SORTS: Readonly<Record<CandidateRequest['first'], readonly unknown[]>> = {
  words: ['_score', { library: 'asc' }, { asset: 'asc' }],
  title: [{ titleKey: 'asc' }, { library: 'asc' }, { asset: 'asc' }],
  size: [{ 'measures.bytes': 'desc' }, { library: 'asc' }, { asset: 'asc' }],
  libraries: [{ asset: 'asc' }],
};

function found(
  scope: EngineScope,
  { filters, slots }: Pick<CandidateRequest, 'filters' | 'slots'>,
  conditions: readonly Query[],
): Query {
  const filter = [...inScope(scope), ...phraseConditions(filters.query), ...conditions];
  return { bool: { filter, ...(slots && { must: [wordsQuery(slots)] }) } };
}

function whole(answer: SearchAnswer): SearchAnswer {
  if (answer.error) throw new EngineUnavailable(`${answer.error.type}: ${answer.error.reason}`);
  if (answer.timed_out || answer._shards.failed > 0)
    throw new EngineUnavailable('Some shards do not answer.');
  return answer;
}

/** Returns a pattern of Lucene that matches a text alone. */
function escapeExpression(text: string): string {
  return text.replaceAll(/[.?+*|{}[\]()"\\#@&<>~^$-]/g, String.raw`\$&`);
}
