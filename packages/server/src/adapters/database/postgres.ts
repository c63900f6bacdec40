import { Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import pg from 'pg';
import type { Database, Tables } from '../../database/schema.ts';
import { DatabaseUnreachable } from '../../database/unreachable.ts';
import { breakWhenSilent } from './silent-connections.ts';

const INT8 = 20;

/** Milliseconds to wait for a connection. */
export const CONNECT_TIMEOUT = 5_000;

/** Milliseconds in which an answer begins; a statement that takes longer is one whose connection was lost. */
export const ANSWER_TIMEOUT = 60_000;

interface PostgresOptions {
  /** In milliseconds; null for statements that may take however long. */
  answerTimeout?: number | null;
}

/**
 * PostgreSQL, shared by any number of replicas. `bigint` columns hold safe integers and are read as numbers. Where no connection
 * can be had, `unavailable` is thrown.
 */
export function openPostgres(
  url: string,
  { answerTimeout = ANSWER_TIMEOUT }: PostgresOptions = {},
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
  });
  // A connection that breaks is taken out of the pool, and whoever asked is told; without listeners it would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
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
