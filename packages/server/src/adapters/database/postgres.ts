import { Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import pg from 'pg';
import type { Database, Tables } from '../../database/schema.ts';
import { DatabaseUnreachable } from '../../database/unreachable.ts';
import { answerByCallback } from './answers-by-callback.ts';
import { prepareWhatIsSentOften, StatementNames } from './prepared-statements.ts';
import { breakWhenSilent } from './silent-connections.ts';

const INT8 = 20;

/** Milliseconds to wait for a connection. */
export const CONNECT_TIMEOUT = 5_000;

/** Milliseconds in which an answer begins; a statement that takes longer is one whose connection was lost. */
export const ANSWER_TIMEOUT = 60_000;

/**
 * Milliseconds for which a migration waits for a lock; less than the second after which PostgreSQL ends one of two that wait for
 * each other, so that no request of a server is ended.
 */
const LOCK_TIMEOUT = 200;

interface PostgresOptions {
  /** In milliseconds; null for statements that may take however long. */
  answerTimeout?: number | null;
  /** Milliseconds after which a statement that waits for a lock fails; never where it is left out. */
  lockTimeout?: number;
}

/** For migrations, which take however long they take, and hold up nobody for whom they have to wait. */
export function openPostgresForMigrations(url: string): Database {
  return openPostgres(url, { answerTimeout: null, lockTimeout: LOCK_TIMEOUT });
}

/**
 * PostgreSQL, shared by any number of replicas. `bigint` columns hold safe integers and are read as numbers. Where no connection
 * can be had, `unavailable` is thrown.
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
  // A connection that breaks is taken out of the pool, and whoever asked is told; without listeners it would end the process.
  pool.on('error', () => {});
  const names = new StatementNames();
  pool.on('connect', (client) => {
    client.on('error', () => {});
    answerByCallback(client);
    prepareWhatIsSentOften(client, names);
    if (answerTimeout !== null) breakWhenSilent(client, answerTimeout);
  });
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: reached(pool) }) });
}

/** The pool, of which a failure to connect says what clients may know. */
function reached(pool: pg.Pool): PostgresPool {
  return {
    connect: () =>
      pool.connect().catch((cause: unknown) => {
        throw new DatabaseUnreachable(cause);
      }),
    end: () => pool.end(),
    options: pool.options,
  };
}
