import { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Database, Tables } from '../../database/schema.ts';
import { SqliteDriver } from './sqlite-driver.ts';

/** The embedded database: one file (or `:memory:`), a committed row survives a power cut. */
export function openSqlite(file: string): Database {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new SqliteDriver(file),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}
