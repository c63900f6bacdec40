import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Database, Tables } from '../../database/schema.ts';

const INT8 = 20;

/** Milliseconds to wait for a connection. */
const CONNECT_TIMEOUT = 5_000;

/** PostgreSQL, shared by any number of replicas. `bigint` columns hold safe integers and are read as numbers. */
export function openPostgres(url: string): Database {
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
  // An idle connection that breaks is taken out of the pool; without a listener it would end the process.
  pool.on('error', () => {});
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}
