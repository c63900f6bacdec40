import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { sql } from 'kysely';
import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { issuePersonalAccessToken } from '../../packages/server/src/accounts/personal-access-tokens.ts';
import { openPostgres } from '../../packages/server/src/adapters/database/postgres.ts';
import { openSqlite } from '../../packages/server/src/adapters/database/sqlite.ts';
import { migrate } from '../../packages/server/src/database/migrate.ts';
import startPostgres from '../../test/postgres.ts';
import { cpuSecondsOf } from '../cpu-seconds.ts';
import { fullLoad, type LoadRequest, type LoadTarget, steadyLoad } from './load.ts';
import { BUSY_PROJECT, buildWorld, FULL_SIZE, NAMESPACE, SPREAD_NOTE, type WorldSize } from './world.ts';

/** One row of the table. */
export interface CollaborationRow {
  database: string;
  work: string;
  target: string;
  result: string;
  met: boolean;
}

const RATE = 200;
const SECONDS = 10;
const WARM_UP_SECONDS = 5;
const FULL_SECONDS = 5;
const MAX_P99 = 20;
const MIN_PAGES = 3_000;

/** Measures a running service with SQLite. */
export async function benchOverSqlite(size = worldSize()): Promise<CollaborationRow[]> {
  return overDatabase('SQLite', null, size);
}

/** The same with PostgreSQL, including the CPU time of its processes; empty if it is not installed. */
export async function benchOverPostgres(size = worldSize()): Promise<CollaborationRow[]> {
  const stop = await startPostgres();
  const url = process.env.BINDERY_TEST_POSTGRES;
  if (!url) return [];
  try {
    return await overDatabase('PostgreSQL', url, size);
  } finally {
    await stop?.();
  }
}

/** `BINDERY_BENCH_SCALE=0.1` creates a tenth of the data. */
function worldSize(): WorldSize {
  const scale = Number(process.env.BINDERY_BENCH_SCALE ?? 1);
  const scaled = Object.entries(FULL_SIZE).map(([name, value]) => [
    name,
    Math.max(1, Math.round(value * scale)),
  ]);
  return Object.fromEntries(scaled) as WorldSize;
}

async function overDatabase(
  database: string,
  url: string | null,
  size: WorldSize,
): Promise<CollaborationRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bindery-bench-'));
  try {
    const token = await prepare(folder, url, size);
    const service = await serve(folder, url);
    try {
      const processes = [service.pid, ...(url === null ? [] : [await postmasterOf(url)])];
      return await measure(database, { url: service.url, token }, processes);
    } finally {
      await service.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the id of the PostgreSQL process that is the parent of all others. */
async function postmasterOf(url: string): Promise<number> {
  const db = openPostgres(url);
  try {
    const { rows } = await sql<{ text: string }>`select pg_read_file('postmaster.pid') as text`.execute(db);
    return Number.parseInt(rows[0]?.text ?? '', 10);
  } finally {
    await db.destroy();
  }
}

async function prepare(folder: string, url: string | null, size: WorldSize): Promise<string> {
  const db = url === null ? openSqlite(join(folder, 'bindery.db')) : openPostgres(url);
  try {
    await migrate(db);
    const parts = { db, clock: Date.now };
    const account = { userName: 'viewer', displayName: 'Viewer', email: 'viewer@example.org' };
    const { accountId } = await createAccount(parts, account);
    const { token: secret } = await issuePersonalAccessToken(parts, {
      accountId,
      familyId: null,
      name: 'bench',
      scope: 'read',
      namespace: null,
      expiresAt: null,
    });
    await buildWorld(db, size, accountId);
    // As in a database in use: otherwise autovacuum would run during the measurement.
    if (url !== null) await sql`vacuum analyze`.execute(db);
    return secret;
  } finally {
    await db.destroy();
  }
}

/** Starts the service in a separate process. */
async function serve(
  folder: string,
  url: string | null,
): Promise<{ url: string; pid: number; stop(): Promise<void> }> {
  const command = new URL('../../packages/cli/bin/bindery.js', import.meta.url).pathname;
  const service = spawn(process.execPath, [command, 'serve', '--port', '0', '--data-dir', folder], {
    env: {
      ...process.env,
      BINDERY_LOG_LEVEL: 'error',
      // On a busy machine, delays are measured instead of requests being refused.
      BINDERY_MAX_DELAY_MS: 'off',
      ...(url === null ? {} : { BINDERY_DATABASE_URL: url }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface(service.stdout)) {
    const ready = /^listening on (\S+)$/.exec(line);
    if (!ready?.[1]) continue;
    return {
      url: ready[1],
      pid: service.pid ?? 0,
      stop: async () => {
        const ended = new Promise((resolve) => service.once('exit', resolve));
        service.kill('SIGTERM');
        await ended;
      },
    };
  }
  throw new Error('the service did not start');
}

async function measure(
  database: string,
  target: LoadTarget,
  processes: readonly number[],
): Promise<CollaborationRow[]> {
  /** CPU milliseconds of the service and its database per request. */
  const costOf = async (work: () => Promise<number>) => {
    const before = cpuSecondsOf(processes);
    const requests = await work();
    return `${((1_000 * (cpuSecondsOf(processes) - before)) / requests).toFixed(2)} ms of processors each`;
  };
  const latency = async (work: string, requests: readonly LoadRequest[]) => {
    await steadyLoad(target, RATE, WARM_UP_SECONDS, requests);
    let latencies = { p50: Number.NaN, p99: Number.NaN };
    const cost = await costOf(async () => {
      latencies = await steadyLoad(target, RATE, SECONDS, requests);
      return RATE * SECONDS;
    });
    const { p50, p99 } = latencies;
    return {
      database,
      work,
      target: `p99 ≤ ${MAX_P99} ms at ${RATE}/s`,
      result: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${cost}`,
      met: p99 <= MAX_P99,
    };
  };
  const last = await lastChoicesPage(target);
  const bindrPage = graphql(
    '{ bindrs(projectId: "p1", first: 20) { nodes { id name parentId projectNodeId } pageInfo { endCursor hasNextPage } } }',
  );
  await fullLoad(target, 32, 2, bindrPage);
  let pages = 0;
  const cost = await costOf(async () => {
    pages = await fullLoad(target, 32, FULL_SECONDS, bindrPage);
    return pages * FULL_SECONDS;
  });
  return [
    await latency('catalog page of 50 with search, any page', [catalogPage(1), catalogPage(2)]),
    await latency('Bindr choices page of 100, last page', [{ method: 'GET', path: last }]),
    await latency('note with 200 visible nodes, their projects and Bindrs', [
      graphql(`{ note(namespaceSlug: "wide", id: "${SPREAD_NOTE}") { id name nodes { id name path projectNodeId
        project { id slug displayName } bindrs { id name parentId } } } }`),
    ]),
    {
      database,
      work: 'Bindr page of 20 through GraphQL',
      target: `${MIN_PAGES}/s on one core`,
      result: `${Math.round(pages)}/s, ${cost}`,
      met: pages >= MIN_PAGES,
    },
  ];
}

function catalogPage(page: number): LoadRequest {
  return {
    method: 'GET',
    path: `/namespaces/${NAMESPACE}/projects?search=PROJECT&pageSize=50&page=${page}`,
  };
}

function graphql(query: string): LoadRequest {
  return { method: 'POST', path: '/graphql', body: { query } };
}

/** Returns the address of the last page of the project with the most Bindrs. */
async function lastChoicesPage({ url, token }: LoadTarget): Promise<string> {
  const list = `/namespaces/${NAMESPACE}/projects/${BUSY_PROJECT}/bindrs?view=choices&first=100`;
  let path = list;
  while (true) {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
    const { pageInfo } = (await response.json()) as { pageInfo: { endCursor: string; hasNextPage: boolean } };
    if (!pageInfo.hasNextPage) return path;
    path = `${list}&after=${encodeURIComponent(pageInfo.endCursor)}`;
  }
}
