import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { SMALL_MODEL, writeSmallModel } from '../packages/encoder/src/small-model/index.ts';
import { createAccount } from '../packages/server/src/accounts/create-account.ts';
import { createToken } from '../packages/server/src/accounts/create-token.ts';
import { openPostgres } from '../packages/server/src/adapters/database/postgres.ts';
import { migrate } from '../packages/server/src/database/migrate.ts';
import { makeBucket } from '../packages/server/test/objects/s3/bucket.ts';
import { startCeph } from '../packages/server/test/objects/s3/ceph.ts';
import startPostgres from '../test/postgres.ts';
import { cpuSecondsOf } from './cpu-seconds.ts';
import { type BenchmarkRow, table } from './results-table.ts';
import { OWNER } from './seed.ts';
import { generateMatrix } from './vectors/corpus.ts';
import { row, search } from './vectors/measure.ts';
import { benchRegistered, LIBRARY } from './vectors/registered.ts';
import { type Service, serve } from './vectors/service.ts';

const ASSETS = 50_000;
const REQUESTS = 3_000;
/** Per server, so that V8 has compiled the code in each. */
const WARM_UP = 2_000;
const AT_ONCE = 8;
const SERVERS = 3;
const MIN_RATIO = 2.5;
const ADDRESS = `${OWNER}/${LIBRARY}`;

/** Typical requests of a team: an overview, one asset, and keyword searches. */
const PATHS = [
  `/namespaces/${OWNER}/libraries/${LIBRARY}`,
  `/namespaces/${OWNER}/libraries/${LIBRARY}/assets/a000007`,
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
  const folder = await mkdtemp(join(tmpdir(), 'bindery-bench-replicas-'));
  const servers: Service[] = [];
  try {
    const models = join(folder, 'models');
    await writeSmallModel(models);
    const bucket = await makeBucket(ceph);
    const settings = {
      BINDERY_DATABASE_URL: database,
      BINDERY_OBJECTS: `s3://${bucket.name}`,
      AWS_ENDPOINT_URL: ceph.endpoint,
      AWS_ACCESS_KEY_ID: ceph.accessKeyId,
      AWS_SECRET_ACCESS_KEY: ceph.secretAccessKey,
      BINDERY_MAX_DELAY_MS: 'off',
    };
    const start = async () => {
      const own = join(folder, `server-${servers.length}`);
      const server = await serve(own, models, SMALL_MODEL, settings);
      servers.push(server);
      return server;
    };
    const token = await prepare(database);
    const first = await start();
    const base = generateMatrix(ASSETS);
    await benchRegistered(first, { base, assets: ASSETS, model: SMALL_MODEL, token });
    const cold = await firstFusedSearch(await start());
    while (servers.length < SERVERS) await start();
    return [
      row(`first fused search of ${ASSETS.toLocaleString('en')} assets on a new server`, cold, 2_000, 'ms'),
      scalingRow(await perRequest([first]), await perRequest(servers)),
    ];
  } finally {
    for (const server of servers) await server.end();
    await rm(folder, { recursive: true, force: true });
    await ceph.close();
    await stopPostgres?.();
  }
}

async function prepare(database: string): Promise<string> {
  const db = openPostgres(database);
  try {
    await migrate(db);
    const parts = { db, clock: Date.now };
    await createAccount(parts, { userName: OWNER, displayName: 'Bench', email: 'bench@example.org' });
    return (await createToken(parts, OWNER)).token;
  } finally {
    await db.destroy();
  }
}

/** Milliseconds until a search uses vectors as well as keywords: the encoder may still be loading. */
async function firstFusedSearch(server: Service): Promise<number> {
  const begin = performance.now();
  for (;;) {
    const failure = await search(server, [ADDRESS], 'red chair').then(
      () => null,
      (error: unknown) => error,
    );
    if (failure === null) return performance.now() - begin;
    if (performance.now() - begin > 60_000) throw failure;
  }
}

/** CPU milliseconds per request over all servers, which are asked in turn. */
async function perRequest(servers: readonly Service[]): Promise<number> {
  await ask(servers, WARM_UP * servers.length);
  const pids = servers.map(({ process: { pid = 0 } }) => pid);
  const before = cpuSecondsOf(pids);
  await ask(servers, REQUESTS);
  return ((cpuSecondsOf(pids) - before) * 1_000) / REQUESTS;
}

async function ask(servers: readonly Service[], count: number): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < count) {
      const at = next++;
      const server = servers[at % servers.length] as Service;
      const path = PATHS[Math.floor(at / servers.length) % PATHS.length];
      const { statusCode, body } = await request(server.url + path);
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

function scalingRow(alone: number, together: number): BenchmarkRow {
  const ratio = (SERVERS * alone) / together;
  return {
    work: `requests a second at ${SERVERS} servers, each with a machine of its own`,
    bindery: `${together.toFixed(2)} ms of processor a request`,
    peer: `one server ${alone.toFixed(2)} ms`,
    ratio: `${ratio.toFixed(2)} ×`,
    target: `${MIN_RATIO} ×`,
    met: ratio >= MIN_RATIO,
  };
}

if (import.meta.main) console.log(table(await benchReplicas()));
