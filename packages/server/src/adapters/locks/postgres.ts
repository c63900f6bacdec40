import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { DatabaseUnreachable, isConnectionLost } from '../../database/failures.ts';
import type { StoreLocks } from '../../objects/store.ts';
import { ANSWER_TIMEOUT, advisoryKey, CONNECT_TIMEOUT, closeWhenSilent } from '../database/postgres.ts';
import { createInProcessLocks, storeBusyError } from './in-process.ts';

/** How often, and for how long, to retry a lock that another replica holds (milliseconds). */
const RETRY_INTERVAL = 100;
const MAX_WAIT = 60_000;

/**
 * Creates locks across all replicas of a service: PostgreSQL advisory locks, all held by one session per process, which
 * is opened for the first lock. Callers in the same process that wait for a store queue locally first, so that few
 * query the database. A broken session has lost all its locks; the next caller opens another.
 */
export function createPostgresLocks(url: string): StoreLocks {
  const local = createInProcessLocks();
  let session: Promise<Session> | null = null;

  function openSession(): Promise<Session> {
    session ??= connect(url, () => {
      session = null;
    });
    return session;
  }

  return {
    withLock: (storeId, work) =>
      local.withLock(storeId, async () => {
        const key = advisoryKey(`store ${storeId}`);
        const { client, state } = await openSession();
        await acquire(client, key).catch((error: unknown) => {
          throw isConnectionLost(error) ? new DatabaseUnreachable(error) : error;
        });
        const release = async () => {
          if (!state.broken) await client.query('select pg_advisory_unlock($1)', [key]).catch(() => {});
        };
        try {
          const result = await work();
          await release();
          return result;
        } catch (error) {
          // Not awaited: the database might be unreachable and never confirm the release.
          void release();
          throw error;
        }
      }),
    async close() {
      const open = await session?.catch(() => null);
      await open?.client.end();
    },
  };
}

interface Session {
  client: pg.Client;
  state: { broken: boolean };
}

async function connect(url: string, forget: () => void): Promise<Session> {
  const client = new pg.Client({
    connectionString: url,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
  });
  const state = { broken: false };
  const onBreak = () => {
    state.broken = true;
    forget();
  };
  client.on('error', onBreak);
  client.on('end', onBreak);
  try {
    await client.connect();
    closeWhenSilent(client, ANSWER_TIMEOUT);
  } catch (error) {
    forget();
    throw new DatabaseUnreachable(error);
  }
  return { client, state };
}

async function acquire(client: pg.Client, key: string): Promise<void> {
  const deadline = performance.now() + MAX_WAIT;
  for (;;) {
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [key]);
    if (rows[0]?.held) return;
    if (performance.now() > deadline) throw storeBusyError();
    await delay(RETRY_INTERVAL);
  }
}
