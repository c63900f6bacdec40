import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Client } from '@opensearch-project/opensearch';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { OpenSearchCalls } from '../../../src/adapters/opensearch/client.ts';
import { OpenSearchEngine } from '../../../src/adapters/opensearch/opensearch-engine.ts';
import { readConfiguration } from '../../../src/configuration/configuration.ts';
import { diagnoseSearch } from '../../../src/operations/diagnoses.ts';
import { findInEngine } from '../../../src/operations/doctor.ts';
import { queueForSearch } from '../../../src/outbox/queue-event.ts';
import { ConnectedEngine } from '../../../src/search/engine/connected-engine.ts';
import { describeEngine, reindex, waitingChanges } from '../../../src/search/engine/engine-report.ts';
import { EngineFeeder } from '../../../src/search/engine/feed-engine.ts';
import { runSearch } from '../../../src/search/search.ts';
import { findReadable } from '../../../src/search/targets.ts';
import type { Actor } from '../../actor.ts';
import { publish } from '../../libraries/publish.ts';
import { startService, type TestService } from '../../service.ts';
import { CLUSTER } from './engine-service.ts';

/** What a proxy before the cluster does with a request; null passes it on. */
type Fault = (call: IncomingMessage) => { status: number; body: object } | 'hang-up' | null;

let fault: Fault = () => null;
let refused = 0;
let proxy: Server;
let service: TestService;
let ada: Actor;

describe.skipIf(CLUSTER === '')('a search engine that fails', () => {
  beforeAll(async () => {
    proxy = createServer((call, answer) => void pass(call, answer));
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    // Without an engine of its own, so that only the tests feed one.
    service = await startService();
    ada = await service.member('ada');
    for (const name of ['one', 'two', 'three'])
      await publish(ada, `ada/${name}`, {
        assets: [{ id: 'mug', title: `Red mug ${name}`, files: { 'mug/model.stl': name } }],
      });
    await feed(contextBehindProxy());
  });
  afterEach(() => {
    fault = () => null;
    refused = 0;
  });
  afterAll(async () => {
    await service?.close();
    await new Promise((resolve) => proxy?.close(resolve));
  });

  async function pass(call: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = await text(call);
    const wrong = fault(call);
    if (wrong === 'hang-up') {
      call.socket.destroy();
      return;
    }
    if (wrong !== null) {
      refused++;
      answer.writeHead(wrong.status, { 'content-type': 'application/json' }).end(JSON.stringify(wrong.body));
      return;
    }
    const { method, url, headers } = call;
    const passed = request(`${CLUSTER}${url}`, { method, headers }, (found) => {
      answer.writeHead(found.statusCode ?? 500, found.headers);
      found.pipe(answer);
    });
    passed.end(body);
  }

  /** The service's context with an engine behind the proxy, which waits no time between attempts. */
  function contextBehindProxy() {
    const node = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const engine = new OpenSearchEngine(new OpenSearchCalls(new Client({ node }), 0));
    return { ...service.context, engine: new ConnectedEngine(engine, pino({ level: 'silent' })) };
  }

  async function search(context: ReturnType<typeof contextBehindProxy>, q: string) {
    const { authorization } = ada.headers;
    const viewer = await context.authenticate({ authorization, shareToken: undefined });
    const order = { rank: 'relevance', filters: {}, asWords: [], sort: 'relevance', facets: true } as const;
    const page = { q, limit: 10, offset: 0, explain: false, order };
    return runSearch(context, await findReadable(context, viewer), page);
  }

  const refusal = (status: number, type: string) => ({
    status,
    body: { error: { type, reason: 'no' }, status },
  });
  const shards = { total: 2, successful: 1, skipped: 0, failed: 1 };

  test.each<[string, () => Fault]>([
    ['is unreachable', () => () => 'hang-up'],
    ['is red', () => () => refusal(503, 'search_phase_execution_exception')],
    ['has too much to do', () => () => refusal(429, 'circuit_breaking_exception')],
    ['lost the index', () => () => refusal(404, 'index_not_found_exception')],
    ['answers of some shards only', () => () => ({ status: 200, body: partialAnswer() })],
    ['fails in the middle of a search', () => failingAfter(2)],
  ])('that %s is not asked for a while, and searches find the same', async (_, makeFault) => {
    for (const q of ['red mug', 'rde mug', '']) {
      const context = contextBehindProxy();
      const whole = await search(context, q);
      expect(whole.total).toBe(3);
      expect(context.engine.isTrusted).toBe(true);
      fault = makeFault();
      expect(await search(context, q)).toEqual(whole);
      expect(context.engine.isTrusted).toBe(false);
      fault = () => null;
    }
  });

  function partialAnswer() {
    const answer = {
      timed_out: false,
      _shards: shards,
      hits: { total: { value: 0, relation: 'eq' }, hits: [] },
    };
    return { ...answer, responses: [answer, answer, answer, answer, answer, answer] };
  }

  test('is written to more slowly while it has too much to do, and loses nothing', async () => {
    let left = 3;
    fault = ({ url }) =>
      url?.includes('_bulk') && left-- > 0 ? refusal(429, 'opensearch_rejected_execution_exception') : null;
    const context = contextBehindProxy();
    await changeTitle('slow');
    await feed(context);
    expect(refused).toBe(3);
    expect((await search(context, 'slow')).total).toBe(1);
    expect(context.engine.isTrusted).toBe(true);
  });

  test('that takes no writes, for its disk is full, is fed later, and what is new is searched in the process', async () => {
    fault = ({ url }) => (url?.includes('_bulk') ? refusal(429, 'cluster_block_exception') : null);
    const context = contextBehindProxy();
    await changeTitle('stuck');
    await expect(feed(context)).rejects.toThrow('cluster_block_exception');
    expect(refused).toBe(1);
    expect((await search(context, 'stuck')).total).toBe(1);
    expect(context.engine.isTrusted).toBe(true);
    fault = () => null;
    await feed(context);
    expect((await search(context, 'stuck')).total).toBe(1);
    const queued = await context.db.selectFrom('search_changes').selectAll().execute();
    expect(queued).toEqual([]);
  });

  test('is compared with the database by doctor, and made anew by reindex', async () => {
    const { db, clock } = service.context;
    const found = () => findInEngine(CLUSTER, db);
    const state = async () => {
      const { status, message } = diagnoseSearch(await found());
      return `${status}: ${message}`;
    };
    await feed(contextBehindProxy());
    expect(await state()).toBe('ok: The search engine has 3 assets of 3 libraries.');
    const before = await describeEngine(db);
    await contextBehindProxy().engine.port.drop(before?.index ?? '');
    expect(await state()).toMatch(/^warning: The search engine has nothing where it should have 3 assets/);
    expect(await reindex({ db, clock })).toBe(3);
    expect((await search(contextBehindProxy(), 'red mug')).total).toBe(3);
    await feed(contextBehindProxy());
    expect(await state()).toBe('ok: The search engine has 3 assets of 3 libraries.');
    expect((await describeEngine(db))?.index).not.toBe(before?.index);
    await queueForSearch(
      { configuration: readConfiguration({ BINDERY_SEARCH: CLUSTER }), clock },
      db,
      'late',
    );
    expect(await state()).toMatch(/^ok: .* 1 libraries wait to be published to it/);
    expect(await waitingChanges({ db, clock: () => clock() + 3_600_000 })).toMatchObject({ libraries: 1 });
    const waiting = await waitingChanges({ db, clock: () => clock() + 3_600_000 });
    expect(diagnoseSearch({ ...(await found()), waiting }).status).toBe('warning');
    const { failure } = await findInEngine('http://127.0.0.1:9', db);
    expect(failure).toMatch(/ECONNREFUSED/);
    expect(diagnoseSearch(await findInEngine('http://127.0.0.1:9', db)).status).toBe('warning');
  });

  async function changeTitle(title: string): Promise<void> {
    await publish(ada, 'ada/one', {
      assets: [{ id: 'mug', title, files: { 'mug/model.stl': 'one' } }],
    });
  }

  /** Feeds the engine what differs. */
  async function feed(context: ReturnType<typeof contextBehindProxy>): Promise<void> {
    const feeder = new EngineFeeder(context);
    try {
      await feeder.run(() => false);
    } finally {
      await feeder.release();
    }
  }
});

/** Passes some calls, and no more. */
function failingAfter(passed: number): Fault {
  let left = passed;
  return () => (left-- > 0 ? null : 'hang-up');
}
