import { createHash, randomBytes } from 'node:crypto';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import {
  type EngineDocument,
  EngineUnavailable,
  NEVER,
  type Published,
  type RetiredAssets,
} from '../../search/engine/search-engine.ts';
import { Missing, type OpenSearchCalls } from './client.ts';
import { encodeDocument, INDEX, MAPPING } from './documents.ts';
import { all, isCurrent, none, type Query } from './queries.ts';

/** The beginning of the names of all indexes. */
const PREFIX = 'bindery-search-';

/** Assets that one request retires. */
const RETIRED_AT_ONCE = 1_000;

/** Documents that one request changes or deletes by a query: what takes a few seconds. */
const CHANGED_AT_ONCE = 2_000;

/** The most bytes that one request writes. */
const WRITTEN_AT_ONCE = 2 * 2 ** 20;

export interface Shards {
  failed: number;
}

interface ByQueryAnswer {
  /** How many documents were found. */
  total: number;
  version_conflicts: number;
  timed_out: boolean;
  failures: object[];
}

/** What is written to a cluster, in publications. */
export class OpenSearchIndex {
  readonly mapping: number = MAPPING;
  readonly #calls: OpenSearchCalls;

  constructor(calls: OpenSearchCalls) {
    this.#calls = calls;
  }

  async create(): Promise<string> {
    const name = `${PREFIX}${randomBytes(8).toString('hex')}`;
    await this.#calls.write({ method: 'PUT', path: `/${name}`, body: INDEX });
    return name;
  }

  async newest(index: string): Promise<number | null> {
    try {
      await this.refresh(index);
      const path = `/${index}/_mapping`;
      type Answer = Record<string, { mappings: { _meta: { deletedUntil: number } } }>;
      const answer = await this.#calls.search<Answer>({ method: 'GET', path });
      const [since, until] = await Promise.all([
        this.#last(index, 'since', { match_all: {} }),
        this.#last(index, 'until', { range: { until: { lt: NEVER } } }),
      ]);
      return Math.max(answer[index]?.mappings._meta.deletedUntil ?? 0, since, until);
    } catch (error) {
      if (error instanceof Missing) return null;
      throw error;
    }
  }

  async undo(index: string, unfinished: readonly number[]): Promise<void> {
    if (unfinished.length === 0) return;
    await this.refresh(index);
    await this.#delete(index, { terms: { since: unfinished } });
    await this.#setUntil(index, NEVER, { terms: { until: unfinished } });
  }

  async add(index: string, sequence: number, documents: readonly EngineDocument[]): Promise<void> {
    let waiting: (readonly [object, object])[] = [];
    let bytes = 0;
    for (const document of documents) {
      const body = encodeDocument(document, sequence);
      const { library, assetId, shown, terms } = document;
      waiting.push([{ index: { _id: idOf(library, assetId, sequence) } }, body]);
      bytes += 20 * terms.length + 12_000 + (shown.card.description?.length ?? 0);
      if (turnIsOver()) await nextTurn();
      if (bytes < WRITTEN_AT_ONCE) continue;
      await this.#calls.bulk(index, waiting);
      waiting = [];
      bytes = 0;
    }
    await this.#calls.bulk(index, waiting);
  }

  async retire(
    { index, sequence, unfinished }: Published,
    { library, assets }: RetiredAssets,
  ): Promise<void> {
    const current = [
      { term: { library } },
      { terms: { until: [NEVER, ...unfinished] } },
      { range: { since: { lt: sequence } } },
    ];
    if (assets === null) return this.#setUntil(index, sequence, all(current));
    for (let start = 0; start < assets.length; start += RETIRED_AT_ONCE) {
      const some = { terms: { asset: assets.slice(start, start + RETIRED_AT_ONCE) } };
      await this.#setUntil(index, sequence, all([...current, some]));
    }
  }

  async refresh(index: string): Promise<void> {
    const { _shards } = await this.#calls.write<{ _shards: Shards }>({
      method: 'POST',
      path: `/${index}/_refresh`,
    });
    if (_shards.failed > 0) throw new EngineUnavailable('Some shards cannot be refreshed.');
  }

  async deleteRetired({ index, sequence, unfinished }: Published): Promise<void> {
    const body = { _meta: { deletedUntil: sequence } };
    await this.#calls.write({ method: 'PUT', path: `/${index}/_mapping`, body });
    const retired = { range: { until: { lte: sequence } } };
    await this.#delete(index, all([retired, none({ terms: { until: unfinished } })]));
  }

  async drop(index: string): Promise<void> {
    if (!(await this.#calls.exists(`/${index}/_settings`))) return;
    await this.#calls.write({ method: 'DELETE', path: `/${index}` });
  }

  async size({ index, ...published }: Published): Promise<number> {
    const body = { query: all(isCurrent(published)) };
    const answer = await this.#calls.search<{ count: number; _shards: Shards }>({
      method: 'GET',
      path: `/${index}/_count`,
      body,
    });
    if (answer._shards.failed > 0) throw new EngineUnavailable('Some shards do not answer.');
    return answer.count;
  }

  /** Returns the highest value of a field in what a query finds; 0 if that is nothing. */
  async #last(index: string, field: string, query: Query): Promise<number> {
    const body = { size: 0, query, aggs: { last: { max: { field } } } };
    const path = `/${index}/_search`;
    const { _shards, aggregations } = await this.#calls.search<{
      _shards: Shards;
      aggregations: { last: { value: number | null } };
    }>({ method: 'POST', path, body });
    if (_shards.failed > 0) throw new EngineUnavailable('Some shards do not answer.');
    return aggregations.last.value ?? 0;
  }

  async #setUntil(index: string, until: number, query: Query): Promise<void> {
    await this.#byQuery(index, '_update_by_query', {
      query,
      script: { source: 'ctx._source.until = params.until', lang: 'painless', params: { until } },
    });
  }

  #delete(index: string, query: Query): Promise<void> {
    return this.#byQuery(index, '_delete_by_query', { query });
  }

  /** Changes what a query finds, which it then finds no longer, some at a time. */
  async #byQuery(index: string, action: string, body: object): Promise<void> {
    for (;;) {
      const answer = await this.#calls.write<ByQueryAnswer>({
        method: 'POST',
        path: `/${index}/${action}`,
        query: { refresh: true, conflicts: 'proceed', max_docs: CHANGED_AT_ONCE },
        body,
      });
      if (answer.timed_out || answer.failures.length > 0)
        throw new EngineUnavailable(`${action}: ${JSON.stringify(answer.failures.slice(0, 3))}`);
      if (answer.total < CHANGED_AT_ONCE && answer.version_conflicts === 0) return;
    }
  }
}

/** An asset of a library has one document for each publication that changed it. */
function idOf(library: number, assetId: string, sequence: number): string {
  return `${library}:${createHash('sha256').update(assetId).digest('base64url')}:${sequence}`;
}
