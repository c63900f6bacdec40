import {
  BUSY_PROJECT,
  Client,
  createMember,
  FULL_SIZE,
  fillCollaboration,
  NAMESPACE,
  SPREAD_NOTE,
} from '@bindery/server/testing';
import { sql } from 'kysely';
import startPostgres from '../test/postgres.ts';
import { type LoadRequest, latenciesUnder } from './load.ts';
import { cpuSecondsOf, withFolder } from './processes.ts';
import { type BenchmarkRow, quantile, scaled } from './results.ts';
import { withService } from './world.ts';

const RATE = 200;
const SECONDS = 10;
const WARM_UP_SECONDS = 5;
const FULL_SECONDS = 5;
const MAX_P99 = 20;
const MIN_PAGES = 3_000;

/** Measures a running service with SQLite. */
export const benchOverSqlite = () => benchDatabase('SQLite', null);

/** The same with PostgreSQL, including the CPU time of its processes; no rows if it is not installed. */
export async function benchOverPostgres(): Promise<BenchmarkRow[]> {
  const stop = await startPostgres();
  const url = process.env.BINDERY_TEST_POSTGRES;
  if (!url) return [];
  try {
    return await benchDatabase('PostgreSQL', url);
  } finally {
    await stop?.();
  }
}

function benchDatabase(database: string, url: string | null): Promise<BenchmarkRow[]> {
  return withFolder(async (folder) => {
    const size = Object.fromEntries(Object.entries(FULL_SIZE).map(([name, count]) => [name, scaled(count)]));
    const processes: number[] = [];
    const settings: Record<string, string> = url === null ? {} : { BINDERY_DATABASE_URL: url };
    const token = await createMember(folder, 'viewer', settings, async (db, accountId) => {
      await fillCollaboration(db, size as typeof FULL_SIZE, accountId);
      if (url === null) return;
      // As in a database in use: otherwise autovacuum would run during the measurement.
      await sql`vacuum analyze`.execute(db);
      const postmaster = sql<{ text: string }>`select pg_read_file('postmaster.pid') as text`;
      processes.push(Number.parseInt((await postmaster.execute(db)).rows[0]?.text ?? '', 10));
    });
    // On a busy machine, delays are measured instead of requests being refused.
    return withService(folder, { ...settings, BINDERY_MAX_DELAY_MS: 'off' }, async ({ url, pid }) => {
      processes.push(pid);
      const target = { url, token };
      const catalogs = [1, 2].map((page) => get(`projects?search=PROJECT&pageSize=50&page=${page}`));
      const last = get(await lastChoicesPage(new Client(url, token)));
      const note = graphql(`{ note(namespaceSlug: "wide", id: "${SPREAD_NOTE}") { id name nodes { id name path
        projectNodeId project { id slug displayName } bindrs { id name parentId } } } }`);
      const bindrs = graphql(`{ bindrs(projectId: "p1", first: 20) { nodes { id name parentId projectNodeId }
        pageInfo { endCursor hasNextPage } } }`);
      await latenciesUnder({ target, requests: [bindrs], seconds: 2 });
      const before = cpuSecondsOf(processes);
      const full = await latenciesUnder({ target, requests: [bindrs], seconds: FULL_SECONDS });
      const pages = full.length / FULL_SECONDS;
      const cost = costOf(before, processes, full.length);

      const latency = async (work: string, requests: readonly LoadRequest[]) => {
        const steady = { target, requests, perSecond: RATE };
        await latenciesUnder({ ...steady, seconds: WARM_UP_SECONDS });
        const before = cpuSecondsOf(processes);
        const times = await latenciesUnder({ ...steady, seconds: SECONDS });
        const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
        return {
          work: `${work} (${database})`,
          bindery: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${costOf(before, processes, times.length)}`,
          target: `p99 ≤ ${MAX_P99} ms at ${RATE}/s`,
          met: p99 <= MAX_P99,
        };
      };
      return [
        await latency('catalog page of 50 with search, any page', catalogs),
        await latency('Bindr choices page of 100, last page', [last]),
        await latency('note with 200 visible nodes, their projects and Bindrs', [note]),
        {
          work: `Bindr page of 20 through GraphQL (${database})`,
          bindery: `${Math.round(pages)}/s, ${cost}`,
          target: `${MIN_PAGES}/s on one core`,
          met: pages >= MIN_PAGES,
        },
      ];
    });
  });
}

/** CPU time of the service and its database per request. */
function costOf(before: number, processes: readonly number[], requests: number): string {
  const milliseconds = (1_000 * (cpuSecondsOf(processes) - before)) / requests;
  return `${milliseconds.toFixed(2)} ms of processors each`;
}

function get(path: string): LoadRequest {
  return { method: 'GET', path: `/namespaces/${NAMESPACE}/${path}` };
}

function graphql(query: string): LoadRequest {
  return { method: 'POST', path: '/graphql', body: JSON.stringify({ query }) };
}

/** Returns the last page of the project with the most Bindrs. */
async function lastChoicesPage(client: Client): Promise<string> {
  const list = `projects/${BUSY_PROJECT}/bindrs?view=choices&first=100`;
  for (let path = list; ; ) {
    const answer = await client.send('GET', get(path).path);
    const { pageInfo } = JSON.parse(answer.toString()) as {
      pageInfo: { endCursor: string; hasNextPage: boolean };
    };
    if (!pageInfo.hasNextPage) return path;
    path = `${list}&after=${encodeURIComponent(pageInfo.endCursor)}`;
  }
}
