import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import type { Database } from '../database/schema.ts';
import { repeat } from '../process/repeat.ts';
import { readVersion } from '../version.ts';
import { differencesOf, type ServerState } from './compare.ts';
import type { Servers } from './servers.ts';

/** Milliseconds between two heartbeats, and how long after the last one a server is considered gone. */
const INTERVAL = 5_000;
const GONE_AFTER = 20_000;
/** How long rows of servers that are gone are kept, in milliseconds. */
const FORGOTTEN_AFTER = 86_400_000;

/** Milliseconds since 1970, by the one clock that all servers share. */
const DATABASE_NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** A server as other servers and operators see it. */
export interface RunningServer extends ServerState {
  host: string;
  version: string;
}

/** What does not change while a server runs. */
interface Identity {
  store: string;
  /** Whether it handles searches. */
  encodes: boolean;
}

type ServerParts = Pick<Context, 'db' | 'clock' | 'log' | 'encoder'>;

/**
 * Announces a server to the others that use the same PostgreSQL database, and reports how it differs from them.
 * Resolves once it is announced; `stop` withdraws it.
 */
export async function joinServers(context: ServerParts, identity: Identity): Promise<Servers> {
  const { db, clock, log, encoder } = context;
  const id = randomUUID();
  let skew = 0;
  let startedAt = 0;

  async function sendHeartbeat(): Promise<void> {
    const before = clock();
    const now = await databaseNow(db);
    skew = Math.round((before + clock()) / 2 - now);
    const row = { model: encoder.model, skew, seen_at: now };
    const inserted = await db
      .insertInto('servers')
      .values({
        ...{ id, host: hostname(), version: readVersion(), store: identity.store, started_at: now },
        ...row,
      })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .returning('started_at')
      .executeTakeFirstOrThrow();
    startedAt = inserted.started_at;
    await db
      .deleteFrom('servers')
      .where('seen_at', '<', now - FORGOTTEN_AFTER)
      .execute();
  }

  await sendHeartbeat();
  const heartbeats = repeat(
    { every: INTERVAL, name: 'announcing this server to the others', log },
    sendHeartbeat,
  );
  return {
    async differences() {
      const others = (await runningServers(db)).filter((other) => other.id !== id);
      const self = { id, store: identity.store, model: encoder.model, skew, startedAt };
      return differencesOf(self, others, identity);
    },
    async stop() {
      await heartbeats.stop();
      // If this fails, the others will notice later by themselves.
      await db
        .deleteFrom('servers')
        .where('id', '=', id)
        .execute()
        .catch(() => {});
    },
  };
}

/** Returns the servers with a recent heartbeat, ordered by start time. */
export async function runningServers(db: Database): Promise<RunningServer[]> {
  const rows = await db
    .selectFrom('servers')
    .selectAll()
    .where('seen_at', '>', sql<number>`${DATABASE_NOW} - ${sql.lit(GONE_AFTER)}`)
    .orderBy('started_at')
    .orderBy('id')
    .execute();
  return rows.map(({ started_at, seen_at: _, ...row }) => ({ ...row, startedAt: started_at }));
}

async function databaseNow(db: Database): Promise<number> {
  const { now } = await db.selectNoFrom(DATABASE_NOW.as('now')).executeTakeFirstOrThrow();
  return Number(now);
}
