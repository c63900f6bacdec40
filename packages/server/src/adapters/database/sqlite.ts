import { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Database, Tables } from '../../database/schema.ts';
import { SqliteDriver } from './sqlite-driver.ts';

/** The embedded database: one file (or `:memory:`), a committed row survives a power cut. */
export function openSqlite(file: string): Database {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new ConcurrentSqliteAdapter(),
      createDriver: () => new SqliteDriver(file),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}

/** The driver itself knows who has to wait for whom. */
class ConcurrentSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  /** Migrations run in one transaction, which also keeps two processes from migrating at once. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}
