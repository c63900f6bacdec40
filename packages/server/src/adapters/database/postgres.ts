import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Database, Tables } from '../../database/schema.ts';

const INT8 = 20;

/** PostgreSQL, shared by any number of replicas. `bigint` columns hold safe integers and are read as numbers. */
export function openPostgres(url: string): Database {
  const types: pg.CustomTypesConfig = {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
  };
  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url, max: 20, types }) }),
  });
}
