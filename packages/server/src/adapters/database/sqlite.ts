import { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Database, Tables } from '../../database/schema.ts';
import { SqliteDriver } from './sqlite-driver.ts';

/**
 * Opens the embedded database: one file (or `:memory:`). Commits survive a power cut unless made through `withoutSync`.
 */
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

/** Kysely need not serialize queries: the driver queues writes itself. */
class ConcurrentSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  /** Migrations run in one transaction, which also keeps two processes from migrating at once. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}
