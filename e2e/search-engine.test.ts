import { setTimeout as wait } from 'node:timers/promises';
import type { CrossLibraryHit } from '@bindery/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Actor } from '../packages/server/test/actor.ts';
import { publish, type WrittenAsset } from '../packages/server/test/libraries/publish.ts';
import { s3 } from '../packages/server/test/objects/s3/bucket.ts';
import { LONG_FAULTS, rounds } from '../test/faults.ts';
import { isOpenSearchInstallable, OpenSearchNode } from '../test/opensearch.ts';
import { bindery } from './bindery.ts';
import { CLOCKS, Cluster, HAS_WRONG_CLOCKS, missingForCluster, SERVERS, wrongClock } from './cluster.ts';
import { persist } from './revisions.ts';

const LIBRARIES = ['left', 'middle', 'right'];
const KILLS = rounds({ short: 3, long: 50 });
const PAUSES = rounds({ short: 2, long: 10 });
/** Longer than a server waits for a write, in the long form. */
const MAX_PAUSE_MS = LONG_FAULTS ? 40_000 : 500;
/** What the log of a server says that has published to the engine. */
const FED = 'were published to the search engine';

const missing = missingForCluster(s3, { libfaketime: HAS_WRONG_CLOCKS, java: isOpenSearchInstallable() });

describe.skipIf(missing.length > 0)('three servers with wrong clocks and a search engine', () => {
  let node: OpenSearchNode;
  let cluster: Cluster;
  let ada: Actor;
  const env = () => ({ ...cluster.env, BINDERY_SEARCH: node.url });

  beforeAll(async () => {
    node = await OpenSearchNode.make();
    cluster = await Cluster.start({
      s3,
      settingsOf: async (at) => ({
        ...{ ...wrongClock(at), BINDERY_SEARCH: node.url, BINDERY_LOG_LEVEL: 'info' },
      }),
    });
    ada = new Actor(cluster.url, { authorization: `Bearer ${cluster.token}` });
  });
  afterAll(async () => {
    await cluster?.close();
    await node?.remove();
  });

  /** Some assets change with every revision, others stay, come or go. */
  function assetsOf(library: string, revision: number): WrittenAsset[] {
    return Array.from({ length: 5 + (revision % 3) }, (_, at) => ({
      id: `part-${at}`,
      title: at % 2 === 0 ? `gadget ${at} revision ${revision}` : `gadget ${at}`,
      files: { [`part-${at}/part.obj`]: `${library} ${at}` },
    }));
  }

  const titlesOf = (library: string, revision: number) =>
    assetsOf(library, revision).map(({ id, title }) => `${id}: ${title}`);

  /** What was published of each library for certain, and what may have been. */
  const published = new Map(LIBRARIES.map((library) => [library, { certain: 0, begun: 0 }]));
  const stateOf = (library: string) => published.get(library) ?? { certain: 0, begun: 0 };

  async function publishNext(library: string): Promise<void> {
    const state = stateOf(library);
    state.begun++;
    await persist(() =>
      publish(ada, `ada/${library}`, { assets: assetsOf(library, state.begun), visibility: 'public' }),
    );
    state.certain = state.begun;
  }

  /** Searches all libraries; what is found of each has to be one revision, whole, and none that was replaced before. */
  async function search(): Promise<void> {
    const from = LIBRARIES.map((library) => stateOf(library).certain);
    const { status, body } = await persist(async () => {
      const answer = await ada.get<{ hits: CrossLibraryHit[] }>('/search?q=gadget&limit=200');
      if (answer.status >= 500) throw new Error(`a search answered ${answer.status}`);
      return answer;
    });
    expect(status).toBe(200);
    for (const [nth, library] of LIBRARIES.entries()) {
      const titles = body.hits
        .filter((hit) => hit.library === library)
        .map(({ assetId, title }) => `${assetId}: ${title}`)
        .sort();
      const revision = Number(/revision (\d+)/.exec(titles[0] ?? '')?.[1]);
      expect({ library, titles }).toEqual({ library, titles: titlesOf(library, revision) });
      expect(revision).toBeGreaterThanOrEqual(from[nth] ?? 0);
      expect(revision).toBeLessThanOrEqual(stateOf(library).begun);
    }
  }

  /** Returns the server that feeds the engine, once it has done so again. */
  async function feeding(): Promise<number> {
    const counts = () => SERVERS.map((at) => cluster.logOf(at).split(FED).length);
    const before = counts();
    for (;;) {
      const now = counts();
      const at = SERVERS.find((server) => (now[server] ?? 0) > (before[server] ?? 0));
      if (at !== undefined) return at;
      await endLease();
      await wait(100);
    }
  }

  /** As once the time has passed for which a server holds the engine, though it may still be at work. */
  const endLease = () => cluster.database.db.updateTable('search_index').set({ held_until: 0 }).execute();

  const another = (at: number) => (at + 1) % SERVERS.length;
  const killServer = async (at: number) => {
    await cluster.end(at, 'SIGKILL');
    await endLease();
    await cluster.start(at);
  };
  const kills = {
    node: async () => {
      await node.end('SIGKILL');
      await wait(300 * Math.random());
      await node.start();
    },
    feeding: async () => killServer(await feeding()),
    other: async () => killServer(another(await feeding())),
  };
  const pauses = {
    feeding: async () => {
      const at = await feeding();
      await wait(300 * Math.random());
      cluster.signal(at, 'SIGSTOP');
      await endLease();
      await wait(MAX_PAUSE_MS * Math.random());
      cluster.signal(at, 'SIGCONT');
    },
    node: async () => {
      node.signal('SIGSTOP');
      await wait(MAX_PAUSE_MS * Math.random());
      node.signal('SIGCONT');
    },
  };

  test('find whole revisions, and the newest, whichever of them or the engine is killed or paused', async () => {
    for (const library of LIBRARIES) await publishNext(library);
    let isOver = false;
    let searches = 0;
    const searching = (async () => {
      while (!isOver) {
        await search();
        searches++;
      }
    })();
    const publishing = LIBRARIES.map(async (library) => {
      while (!isOver) await publishNext(library);
    });
    const done: Record<string, number> = {};
    const faults = async () => {
      const [killed, paused] = [Object.entries(kills), Object.entries(pauses)];
      for (let turn = 0; turn < KILLS; turn++) {
        const pausing = Math.floor(((turn + 1) * PAUSES) / KILLS) > Math.floor((turn * PAUSES) / KILLS);
        const [name, kill] = killed[turn % killed.length] as (typeof killed)[number];
        await wait(500 * Math.random());
        await kill();
        done[`${name} killed`] = (done[`${name} killed`] ?? 0) + 1;
        if (!pausing) continue;
        const [other, pause] = paused[Math.floor((turn * PAUSES) / KILLS) % 2] as (typeof paused)[number];
        await pause();
        done[`${other} paused`] = (done[`${other} paused`] ?? 0) + 1;
      }
    };
    try {
      await Promise.race([faults(), searching, ...publishing]);
    } finally {
      isOver = true;
    }
    await Promise.all([searching, ...publishing]);
    await expectFed();
    const asked = await queriesOfEngine();
    for (let turn = 0; turn < 10; turn++) await search();
    expect(await queriesOfEngine()).toBeGreaterThan(asked);
    const fsck = await checkAll();
    if (LONG_FAULTS) {
      const revisions = LIBRARIES.map((library) => `${stateOf(library).certain}`).join(' + ');
      const disturbed = Object.entries(done).map(([what, count]) => `${count} × ${what}`);
      process.stdout.write(
        `${revisions} registers, ${searches} searches, ${disturbed.join(', ')}, clocks ${CLOCKS.join(', ')}; fsck: ${fsck.stdout}`,
      );
    }
    expect(fsck).toMatchObject({ exitCode: 0 });
  });

  test('of which the engine lacks an asset are found out by fsck', async () => {
    const index = (await cluster.database.db.selectFrom('search_index').select('name').execute())[0]?.name;
    const body = JSON.stringify({ query: { term: { asset: 'part-0' } } });
    const headers = { 'content-type': 'application/json' };
    await fetch(`${node.url}/${index}/_delete_by_query?refresh=true`, {
      ...{ method: 'POST', headers, body },
    });
    const { exitCode, stderr } = await bindery(['admin', 'fsck', '--data-dir', cluster.home], { env: env() });
    expect(exitCode).toBe(7);
    expect(stderr).toMatch(
      /The search engine has \d+ assets where it should have \d+ assets\..* admin reindex/,
    );
  });

  /** Waits until the engine has every library as it is. */
  async function expectFed(): Promise<void> {
    const { db } = cluster.database;
    const isFed = async () => {
      await endLease();
      const queued = await db.selectFrom('search_changes').select('library_id').execute();
      const current = await db
        .selectFrom('libraries')
        .innerJoin('searched_libraries', 'libraries.id', 'library_id')
        .whereRef('libraries.index_sha256', '=', 'searched_libraries.index_sha256')
        .select('libraries.id')
        .execute();
      return [queued.length, current.length];
    };
    await expect.poll(isFed, { interval: 1_000 }).toEqual([0, LIBRARIES.length]);
  }

  async function queriesOfEngine(): Promise<number> {
    const answer = await fetch(`${node.url}/_stats/search`);
    const { _all } = (await answer.json()) as { _all: { total: { search: { query_total: number } } } };
    return _all.total.search.query_total;
  }

  const checkAll = () =>
    bindery(['admin', 'fsck', '--read-data', '--json', '--data-dir', cluster.home], { env: env() });
});
