import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { DAY } from '@bindery/contract';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '../database/schema.ts';
import { repeat } from '../process/repeat.ts';
import { readVersion } from '../version.ts';

/** The servers that use one database. */
export interface Servers {
  /**
   * Returns how this server differs from others that are running; with a difference it must not serve alongside them.
   */
  differences(): Promise<Difference[]>;
  /** Makes the others forget this server. */
  stop(): Promise<void>;
}

/** For a service that is a single process. */
export const NO_OTHERS: Servers = { differences: async () => [], stop: async () => {} };

/** Milliseconds between two heartbeats, and how long after the last one a server is considered gone. */
const INTERVAL = 5_000;
const GONE_AFTER = 20_000;
/** How long rows of servers that are gone are kept, in milliseconds. */
const FORGOTTEN_AFTER = DAY;

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

interface ServerParts {
  db: Database;
  clock: () => number;
  log: Logger;
  encoder: { readonly model: string | null };
}

/**
 * Announces a server to the others that use the same PostgreSQL database, and reports how it differs from them.
 * Resolves once it is announced; `stop` withdraws it.
 */
export async function joinCluster(context: ServerParts, identity: Identity): Promise<Servers> {
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

/** What a server reports about itself to the others that use the same database. */
export interface ServerState {
  id: string;
  /** Where its objects are stored. */
  store: string;
  /** The model that encodes queries; null if there is none. */
  model: string | null;
  /** Milliseconds by which its clock is ahead of the database's. */
  skew: number;
  /** By the clock of the database, in milliseconds since 1970. */
  startedAt: number;
}

/** How a server differs from another running one. */
export interface Difference {
  part: 'store' | 'model' | 'clock';
  from: ServerState;
}

/** How far the clocks of servers can differ, in milliseconds. */
export const MAX_SKEW = 30_000;

/**
 * Returns how a server differs from the reference among all running servers, so that there is always one without
 * differences. `encodes`: whether the server handles searches and therefore should have the same model.
 */
export function differencesOf(
  self: ServerState,
  others: readonly ServerState[],
  { encodes }: { encodes: boolean },
): Difference[] {
  const from = findReference([self, ...others]);
  const parts = [
    from.store !== self.store && 'store',
    encodes && from.model !== self.model && 'model',
    Math.abs(from.skew - self.skew) > MAX_SKEW && 'clock',
  ] as const;
  return parts.filter((part) => part !== false).map((part) => ({ part, from }));
}

/**
 * Returns the reference: of the servers whose clock agrees with the database's, and of these the ones with a model, the
 * first that started. A criterion that no server meets is skipped.
 */
function findReference(servers: readonly ServerState[]): ServerState {
  const inTime = filterOrAll(servers, ({ skew }) => Math.abs(skew) <= MAX_SKEW / 2);
  const encoding = filterOrAll(inTime, ({ model }) => model !== null);
  return encoding.reduce((first, server) => (isBefore(server, first) ? server : first));
}

/** Returns the servers for which `isSo` is true, or all if there are none. */
function filterOrAll(
  servers: readonly ServerState[],
  isSo: (server: ServerState) => boolean,
): readonly ServerState[] {
  const found = servers.filter(isSo);
  return found.length > 0 ? found : servers;
}

function isBefore(one: ServerState, other: ServerState): boolean {
  return one.startedAt < other.startedAt || (one.startedAt === other.startedAt && one.id < other.id);
}
