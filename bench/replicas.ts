import { join } from 'node:path';
import { Client, createMember, generateMatrix, OWNER, pathOf } from '@bindery/server/testing';
import { request } from 'undici';
import type { RunningService } from '../e2e/bindery.ts';
import { SMALL_MODEL, writeSmallModel } from '../packages/encoder/test/small-model.ts';
import { makeBucket } from '../packages/server/test/objects/s3/bucket.ts';
import { startCeph } from '../packages/server/test/objects/s3/ceph.ts';
import startPostgres from '../test/postgres.ts';
import { cpuSecondsOf, withFolder } from './processes.ts';
import { type BenchmarkRow, limitRow, ratioRow, scaled } from './results.ts';
import { storedIn } from './transfer-s3.ts';
import { benchRegistered, REGISTERED, search } from './vectors.ts';
import { serve } from './world.ts';

const ASSETS = scaled(50_000);
const REQUESTS = scaled(3_000);
/** Per server, so that V8 has compiled the code in each. */
const WARM_UP = scaled(2_000);
const AT_ONCE = 8;
const SERVERS = 3;
const ADDRESS = `${OWNER}/${REGISTERED}`;

/** Typical requests of a team: an overview, one asset, and keyword searches. */
const PATHS = [
  pathOf(REGISTERED),
  `${pathOf(REGISTERED)}/assets/a000007`,
  `/library-search?q=red+chair&libraries=${ADDRESS}&limit=20`,
  '/libraries',
];

/**
 * Servers with one shared PostgreSQL and one bucket: how soon a new server can search a library that it has never
 * loaded, and how much more three servers handle than one, computed from the CPU time per request because they share
 * one machine. No rows if PostgreSQL is not installed.
 */
export async function benchReplicas(): Promise<BenchmarkRow[]> {
  const stopPostgres = await startPostgres();
  const database = process.env.BINDERY_TEST_POSTGRES;
  if (!database) return [];
  const ceph = await startCeph();
  const servers: RunningService[] = [];
  try {
    return await withFolder(async (folder) => {
      const models = join(folder, 'models');
      await writeSmallModel(models);
      const settings = {
        ...storedIn((await makeBucket(ceph)).name, ceph),
        BINDERY_DATABASE_URL: database,
        BINDERY_MAX_DELAY_MS: 'off',
        BINDERY_ENCODER: SMALL_MODEL,
        BINDERY_MODEL_DIR: models,
      };
      const start = async () => {
        const server = await serve(join(folder, `server-${servers.length}`), settings);
        servers.push(server);
        return server;
      };
      const token = await createMember(folder, OWNER, settings);
      const first = await start();
      await benchRegistered(new Client(first.url, token), generateMatrix(ASSETS));
      const cold = await firstFusedSearch(await start());
      while (servers.length < SERVERS) await start();
      const alone = await perRequest([first]);
      const together = await perRequest(servers);
      const work = `requests a second at ${SERVERS} servers, each with a machine of its own`;
      const bindery = `${together.toFixed(2)} ms of processor a request`;
      const ratio = (SERVERS * alone) / together;
      const assets = ASSETS.toLocaleString('en');
      return [
        limitRow(`first fused search of ${assets} assets on a new server`, cold, 2_000, 'ms', 1),
        ratioRow({ work, bindery, peer: `one server ${alone.toFixed(2)} ms` }, ratio, { least: 2.5 }),
      ];
    });
  } finally {
    for (const server of servers) await server.end();
    await ceph.close();
    await stopPostgres?.();
  }
}

/** Milliseconds until a search uses vectors as well as keywords: the encoder may still be loading. */
async function firstFusedSearch({ url }: RunningService): Promise<number> {
  const begin = performance.now();
  for (;;) {
    try {
      await search(url, [ADDRESS], 'red chair');
      return performance.now() - begin;
    } catch (error) {
      if (performance.now() - begin > 60_000) throw error;
    }
  }
}

/** CPU milliseconds per request over all servers, which are asked in turn. */
async function perRequest(servers: readonly RunningService[]): Promise<number> {
  await ask(servers, WARM_UP * servers.length);
  const pids = servers.map(({ process: { pid = 0 } }) => pid);
  const before = cpuSecondsOf(pids);
  await ask(servers, REQUESTS);
  return ((cpuSecondsOf(pids) - before) * 1_000) / REQUESTS;
}

async function ask(servers: readonly RunningService[], count: number): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < count) {
      const at = next++;
      const path = PATHS[Math.floor(at / servers.length) % PATHS.length];
      const { statusCode, body } = await request(`${servers[at % servers.length]?.url}${path}`);
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}
