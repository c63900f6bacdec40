import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';

/** How many prepared statements stay ready. */
const STATEMENT_CACHE = 500;

class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const statement = this.#prepare(sql);
    const values = parameters as SQLInputValue[];
    if (statement.columns().length > 0) {
      return { rows: statement.all(...values) as Row[] };
    }
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  // biome-ignore lint/correctness/useYield: the interface asks for a generator; a synchronous driver has no cursor
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('The SQLite driver does not stream.');
  }

  #prepare(sql: string): StatementSync {
    const ready = this.#statements.get(sql);
    if (ready) {
      this.#statements.delete(sql);
      this.#statements.set(sql, ready);
      return ready;
    }
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    if (this.#statements.size > STATEMENT_CACHE) {
      const oldest = this.#statements.keys().next().value;
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    return statement;
  }
}

/**
 * Kysely's driver over `node:sqlite`. There is one connection; a transaction holds it, and the others wait in the
 * order in which they came. Keep what happens inside a transaction short: no I/O but queries.
 */
export class SqliteDriver implements Driver {
  readonly #file: string;
  #database: DatabaseSync | undefined;
  #connection: SqliteConnection | undefined;
  #tail: Promise<void> = Promise.resolve();
  readonly #releases = new WeakMap<DatabaseConnection, () => void>();

  constructor(file: string) {
    this.#file = file;
  }

  async init(): Promise<void> {
    this.#database = new DatabaseSync(this.#file, { timeout: 5_000 });
    this.#database.exec(`
      pragma journal_mode = wal;
      pragma synchronous = full;
      pragma foreign_keys = on;
      pragma cache_size = -65536;
    `);
    this.#connection = new SqliteConnection(this.#database);
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const connection = this.#connection;
    if (!connection) throw new Error('The database is closed.');
    const before = this.#tail;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tail = promise;
    await before;
    this.#releases.set(connection, resolve);
    return connection;
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    this.#releases.get(connection)?.();
  }

  async beginTransaction(): Promise<void> {
    this.#database?.exec('begin immediate');
  }

  async commitTransaction(): Promise<void> {
    this.#database?.exec('commit');
  }

  async rollbackTransaction(): Promise<void> {
    if (this.#database?.isTransaction) this.#database.exec('rollback');
  }

  async destroy(): Promise<void> {
    this.#database?.close();
    this.#database = undefined;
    this.#connection = undefined;
  }
}
