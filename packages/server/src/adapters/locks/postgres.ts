import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { DatabaseUnreachable, isConnectionLost } from '../../database/unreachable.ts';
import type { StoreLocks } from '../../objects/locks.ts';
import { ANSWER_TIMEOUT, CONNECT_TIMEOUT } from '../database/postgres.ts';
import { breakWhenSilent } from '../database/silent-connections.ts';
import { createInProcessLocks, storeIsBusy } from './in-process.ts';

/** How often a lock that another replica holds is asked for, and for how long (milliseconds). */
const RETRY_INTERVAL = 100;
const MAX_WAIT = 60_000;

/**
 * Locks over all replicas of a service: advisory locks of PostgreSQL, all held by one session per process, which is
 * opened when the first is wanted. Inside the process the waiters of a store queue up first, so that few ask the
 * database. A session that breaks has lost all its locks; the next caller opens another.
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
    hold: (storeId, work) =>
      local.hold(storeId, async () => {
        const key = lockKey(storeId);
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
          // The database may be cut off, and never say that it is given back.
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
    breakWhenSilent(client, ANSWER_TIMEOUT);
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
    if (performance.now() > deadline) throw storeIsBusy();
    await delay(RETRY_INTERVAL);
  }
}

/** A signed 64-bit number as text; advisory locks have no names. */
function lockKey(storeId: string): string {
  return Buffer.from(hash('sha256', `bindery store ${storeId}`), 'hex')
    .readBigInt64LE()
    .toString();
}
