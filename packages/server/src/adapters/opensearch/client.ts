import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from '@opensearch-project/opensearch';
import { EngineUnavailable } from '../../search/engine/search-engine.ts';

/** How long a search, and how long a write, may take, in milliseconds. */
const SEARCH_TIMEOUT = 10_000;
const WRITE_TIMEOUT = 30_000;

/** Milliseconds between attempts while the cluster has too much to do, and how often it is asked again. */
const FIRST_WAIT = 100;
const MAX_ATTEMPTS = 8;

/** What is done with an index. */
interface Call {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'HEAD';
  path: string;
  query?: Record<string, string | number | boolean>;
  /** An array is sent as lines of JSON, of which texts are some already. */
  body?: object | readonly (object | string)[];
}

interface BulkAnswer {
  items: Record<string, { status: number; error?: { type: string; reason: string } }>[];
}

/** Calls to a cluster. Each throws `EngineUnavailable` if the cluster cannot answer or write now. */
export class OpenSearchCalls {
  readonly #client: Client;
  readonly #firstWait: number;

  constructor(client: Client, firstWait: number = FIRST_WAIT) {
    this.#client = client;
    this.#firstWait = firstWait;
  }

  /** Searches once; other servers and times may answer where this does not. */
  search<Answer>(call: Call): Promise<Answer> {
    return this.#request<Answer>(call, SEARCH_TIMEOUT);
  }

  /** Writes; waits while the cluster has too much to do. */
  async write<Answer>(call: Call): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#request<Answer>(call, WRITE_TIMEOUT);
      } catch (error) {
        if (!(error instanceof Busy) || attempt === MAX_ATTEMPTS) throw error;
        await this.#pause(attempt);
      }
    }
  }

  /** Writes documents, each an action and its document; what the cluster has no time for is sent again, later. */
  async bulk(
    index: string,
    entries: readonly (readonly [action: object, document: object])[],
  ): Promise<void> {
    let left = entries;
    for (let attempt = 1; left.length > 0; attempt++) {
      const path = `/${index}/_bulk`;
      const { items } = await this.write<BulkAnswer>({ method: 'POST', path, body: left.flat() });
      const outcomes = items.map((item) => Object.values(item)[0]);
      const failed = outcomes.find((one) => one?.error && (one.status !== 429 || isBlocked(one.error.type)));
      if (failed?.error) throw new EngineUnavailable(`${failed.error.type}: ${failed.error.reason}`);
      left = left.filter((_, at) => outcomes[at]?.status === 429);
      if (left.length > 0 && attempt === MAX_ATTEMPTS) throw new Busy('The cluster has too much to do.');
      if (left.length > 0) await this.#pause(attempt);
    }
  }

  /** Whether something exists. */
  async exists(path: string): Promise<boolean> {
    try {
      await this.#request({ method: 'GET', path }, SEARCH_TIMEOUT);
      return true;
    } catch (error) {
      if (error instanceof Missing) return false;
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #pause(attempt: number): Promise<void> {
    return wait(this.#firstWait * 2 ** (attempt - 1));
  }

  async #request<Answer>({ method, path, query, body }: Call, timeout: number): Promise<Answer> {
    const content = Array.isArray(body) ? { bulkBody: body as object[] } : body ? { body } : {};
    try {
      const request = { method, path, ...(query && { querystring: query as never }), ...content };
      const answer = await this.#client.transport.request(request as never, {
        requestTimeout: timeout,
        maxRetries: 0,
      });
      return answer.body as Answer;
    } catch (error) {
      throw asUnavailable(error);
    }
  }
}

/** The cluster has too much to do. */
class Busy extends EngineUnavailable {}

/** There is no such index. */
export class Missing extends EngineUnavailable {}

interface Failure extends Error {
  statusCode?: number;
  body?: { error?: { type?: string; reason?: string } };
}

function asUnavailable(error: unknown): EngineUnavailable {
  const { statusCode, body, message, name } = error as Failure;
  const { type = name, reason = message } = body?.error ?? {};
  const text = `${type}: ${reason}`;
  if (statusCode === 404) return new Missing(text, { cause: error });
  if (statusCode === 429 && !isBlocked(type)) return new Busy(text, { cause: error });
  return new EngineUnavailable(text, { cause: error });
}

/** An index that takes no writes, since its disk is full or somebody made it so, does not by itself take them soon. */
function isBlocked(type: string): boolean {
  return type === 'cluster_block_exception';
}
