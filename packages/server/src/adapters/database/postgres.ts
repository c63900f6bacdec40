import { hash } from 'node:crypto';
import type { Socket } from 'node:net';
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import type { ClientBase } from 'pg';
import pg from 'pg';
import { ConnectionSilent, DatabaseUnreachable } from '../../database/failures.ts';
import type { Database, Tables } from '../../database/schema.ts';

const INT8 = 20;

/** Milliseconds to wait for a connection. */
export const CONNECT_TIMEOUT = 5_000;

/** Milliseconds of silence after which a connection with a running statement is considered lost. */
export const ANSWER_TIMEOUT = 60_000;

/**
 * Milliseconds for which a migration waits for a lock. Shorter than the second after which PostgreSQL resolves a
 * deadlock by aborting one of the two transactions, so that no request of a server is aborted.
 */
const LOCK_TIMEOUT = 200;

interface PostgresOptions {
  /** In milliseconds; null for statements without a time limit. */
  answerTimeout?: number | null;
  /** Milliseconds after which a statement that waits for a lock fails; no limit if omitted. */
  lockTimeout?: number;
}

/**
 * Opens PostgreSQL for migrations: statements can take any amount of time, but fail soon when they wait for a lock,
 * because other statements queue up behind them.
 */
export function openPostgresForMigrations(url: string): Database {
  return openPostgres(url, { answerTimeout: null, lockTimeout: LOCK_TIMEOUT });
}

/**
 * Opens PostgreSQL, shared by any number of replicas. `bigint` columns hold safe integers and are read as numbers.
 * Queries throw `unavailable` if no connection can be made.
 */
export function openPostgres(
  url: string,
  { answerTimeout = ANSWER_TIMEOUT, lockTimeout }: PostgresOptions = {},
): Database {
  const types: pg.CustomTypesConfig = {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
  };
  const pool = new pg.Pool({
    connectionString: url,
    max: 20,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    types,
    ...(lockTimeout !== undefined && { lock_timeout: lockTimeout }),
  });
  // The pool removes a broken connection, and its running query rejects; without listeners the error would crash the
  // process.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
    if (answerTimeout !== null) closeWhenSilent(client, answerTimeout);
  });
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: withConnectErrors(pool) }) });
}

/** Wraps the pool so that a failure to connect becomes an error that can be shown to clients. */
function withConnectErrors(pool: pg.Pool): PostgresPool {
  return {
    connect: () =>
      pool.connect().catch((cause: unknown) => {
        throw new DatabaseUnreachable(cause);
      }),
    end: () => pool.end(),
    options: pool.options,
  };
}

/** The key of an advisory lock of PostgreSQL, a signed 64-bit number as text, since these locks have no names. */
export function advisoryKey(name: string): string {
  return Buffer.from(hash('sha256', `bindery ${name}`), 'hex')
    .readBigInt64LE()
    .toString();
}

/** Members of a `pg` client that are missing from its types. */
interface Connected {
  connection: { stream: Socket };
  /** False while a response is pending. */
  readyForQuery: boolean;
}

/**
 * Closes a connection that has been silent for `timeout` milliseconds while a response is pending: if the network drops
 * packets silently, TCP alone would wait for a quarter of an hour.
 */
export function closeWhenSilent(client: ClientBase, timeout: number): void {
  const connected = client as unknown as Connected;
  const { stream } = connected.connection;
  stream.setTimeout(timeout);
  stream.on('timeout', () => {
    // A socket reports a timeout once; it would not time the next statement of a connection that was idle.
    if (connected.readyForQuery) stream.setTimeout(timeout);
    else stream.destroy(new ConnectionSilent(`PostgreSQL did not answer in ${timeout / 1_000} s`));
  });
}
