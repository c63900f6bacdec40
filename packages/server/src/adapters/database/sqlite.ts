import { DatabaseSync } from 'node:sqlite';
import { type Driver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { isSqliteDamage, sqliteReason } from '../../database/failures.ts';
import type { Database, Tables } from '../../database/schema.ts';
import { StartError } from '../../errors.ts';
import { type OpenSqlite, SqliteConnection, SqliteStatements } from './sqlite-connection.ts';
import { SqliteJournal } from './sqlite-journal.ts';

const IN_MEMORY = ':memory:';

/**
 * Log size (pages) from which a commit copies the log into the database itself, in case the checkpoint worker is late.
 */
const LATEST_CHECKPOINT = 16_384;

/** Opens the embedded database: one file (or `:memory:`). Commits survive a power cut. */
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

/**
 * Kysely driver for `node:sqlite`. Transactions and writes run one at a time, in order of arrival. Keep transactions
 * short: no I/O other than queries.
 */
class SqliteDriver implements Driver {
  readonly #file: string;
  #open: OpenSqlite | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  async init(): Promise<void> {
    const inMemory = this.#file === IN_MEMORY;
    const writer = new DatabaseSync(this.#file, { timeout: 0 });
    try {
      writer.exec(`
        pragma busy_timeout = 10000;
        pragma journal_mode = wal;
        pragma synchronous = normal;
        pragma wal_autocheckpoint = ${LATEST_CHECKPOINT};
        pragma foreign_keys = on;
        pragma cache_size = -65536;
        pragma busy_timeout = 0;
      `);
    } catch (error) {
      writer.close();
      throw error;
    }
    this.#open = {
      writer: new SqliteStatements(writer),
      reader: inMemory ? null : new SqliteStatements(openReader(this.#file)),
      journal: inMemory ? null : new SqliteJournal(this.#file),
      acquireWriteLock: createWriteLock(),
    };
  }

  async acquireConnection(): Promise<SqliteConnection> {
    if (!this.#open) throw new Error('The database is closed.');
    return new SqliteConnection(this.#open);
  }

  async releaseConnection(): Promise<void> {}

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    await connection.begin();
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    await connection.commit();
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    await connection.rollback();
  }

  /** Waits for all pending writes. */
  async destroy(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    if (!open) return;
    await open.acquireWriteLock();
    await open.journal?.close();
    open.reader?.database.close();
    open.writer.database.close();
  }
}

function openReader(file: string): DatabaseSync {
  const reader = new DatabaseSync(file, { timeout: 0 });
  reader.exec('pragma query_only = on; pragma cache_size = -65536;');
  return reader;
}

/** Creates a FIFO lock: each caller proceeds when the previous one has released it. */
function createWriteLock(): OpenSqlite['acquireWriteLock'] {
  let tail: Promise<void> = Promise.resolve();
  return async () => {
    const before = tail;
    const { promise, resolve } = Promise.withResolvers<void>();
    tail = promise;
    await before;
    return resolve;
  };
}

/** The content of a database cannot be trusted. */
export class DatabaseDamaged extends StartError {
  constructor(file: string, problem: string, options?: ErrorOptions) {
    super(
      `The database ${file} is damaged (${problem}). Move it and the files beside it that begin with its name aside, and ` +
        'restore a backup with "bindery admin restore".',
      options,
    );
  }
}

/**
 * Throws `DatabaseDamaged` if the content of a database file is damaged, so that nothing is written to a file that
 * cannot be trusted, and another `StartError` if it cannot be read. Reads the whole file.
 */
export function requireIntactSqlite(file: string): void {
  const problem = problemOf(file);
  if (problem !== null) throw new DatabaseDamaged(file, problem);
}

function problemOf(file: string): string | null {
  try {
    const database = new DatabaseSync(file, { timeout: 10_000 });
    try {
      const found = database.prepare('pragma quick_check(1)').get();
      return found?.quick_check === 'ok' ? null : String(found?.quick_check);
    } finally {
      database.close();
    }
  } catch (error) {
    if (isSqliteDamage(error)) throw new DatabaseDamaged(file, (error as Error).message, { cause: error });
    const reason = sqliteReason(error) ?? (error as Error).message;
    throw new StartError(`The database ${file} cannot be used: ${reason}.`, { cause: error });
  }
}
