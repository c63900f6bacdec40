import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { LRUCache } from 'lru-cache';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { SqliteJournal } from './sqlite-journal.ts';

/** Milliseconds to wait while another process is writing. */
const BUSY_TIMEOUT = 10_000;
const BUSY_PAUSE = 5;
const SQLITE_BUSY = 5;

/** How many prepared statements are cached. */
const MAX_STATEMENTS = 500;

/** What all connections share. */
export interface OpenSqlite {
  writer: SqliteStatements;
  /** Runs reads outside transactions; null if only the writer sees the database (`:memory:`). */
  reader: SqliteStatements | null;
  /** Null for an in-memory database. */
  journal: SqliteJournal | null;
  /** Waits for the write lock; call the returned function to release it. */
  acquireWriteLock(): Promise<() => void>;
}

/**
 * A connection as lent to one borrower. Transactions and writes queue for the write connection; reads outside a
 * transaction use a separate connection and never wait for writers. Queries run on the event loop. Outside transactions
 * they yield to it between queries; otherwise a request with many queries would block it throughout.
 */
export class SqliteConnection implements DatabaseConnection {
  readonly #shared: OpenSqlite;
  /** Releases the write lock of the running transaction. */
  #releaseWriteLock: (() => void) | null = null;
  /** Whether the running transaction wrote anything. */
  #wrote = false;

  constructor(shared: OpenSqlite) {
    this.#shared = shared;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { writer, reader } = this.#shared;
    if (this.#releaseWriteLock) {
      this.#wrote ||= !isRead(query);
      return writer.run(query);
    }
    if (turnIsOver()) await nextTurn();
    if (reader && isRead(query)) return retryWhileBusy(() => reader.run(query));
    return this.#write(query);
  }

  // biome-ignore lint/correctness/useYield: the interface asks for a generator; a synchronous driver has no cursor
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('The SQLite driver does not stream.');
  }

  async begin(): Promise<void> {
    const releaseWriteLock = await this.#shared.acquireWriteLock();
    try {
      await retryWhileBusy(() => this.#shared.writer.database.exec('begin immediate'));
    } catch (error) {
      releaseWriteLock();
      throw error;
    }
    this.#releaseWriteLock = releaseWriteLock;
  }

  /** Releases the write lock before syncing: only the caller waits until this commit is on disk. */
  async commit(): Promise<void> {
    this.#shared.writer.database.exec('commit');
    const wrote = this.#wrote;
    this.#release();
    if (wrote) await this.#shared.journal?.sync();
  }

  async rollback(): Promise<void> {
    const { database } = this.#shared.writer;
    if (this.#releaseWriteLock && database.isTransaction) database.exec('rollback');
    this.#release();
  }

  async #write<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { acquireWriteLock, writer, journal } = this.#shared;
    const releaseWriteLock = await acquireWriteLock();
    let result: QueryResult<Row>;
    try {
      result = await retryWhileBusy(() => writer.run<Row>(query));
    } finally {
      releaseWriteLock();
    }
    await journal?.sync();
    return result;
  }

  #release(): void {
    this.#releaseWriteLock?.();
    this.#releaseWriteLock = null;
    this.#wrote = false;
  }
}

/** Runs queries on one open database and keeps the most recently used statements prepared. */
export class SqliteStatements {
  readonly database: DatabaseSync;
  readonly #prepared: LRUCache<string, StatementSync>;

  constructor(database: DatabaseSync) {
    this.database = database;
    this.#prepared = new LRUCache({
      max: MAX_STATEMENTS,
      memoMethod: (sql: string) => database.prepare(sql),
    });
  }

  run<Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> {
    const statement = this.#prepared.memo(sql);
    const values = parameters as SQLInputValue[];
    if (statement.columns().length > 0) return { rows: statement.all(...values) as Row[] };
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }
}

function isRead({ query, sql }: CompiledQuery): boolean {
  return query.kind === 'SelectQueryNode' || (query.kind === 'RawNode' && /^\s*select\b/i.test(sql));
}

/** Retries while another process is writing, without blocking the event loop. */
async function retryWhileBusy<Result>(run: () => Result): Promise<Result> {
  const deadline = performance.now() + BUSY_TIMEOUT;
  for (;;) {
    try {
      return run();
    } catch (error) {
      const { errcode } = error as { errcode?: number };
      // The low byte of an extended result code is the primary code.
      if (errcode === undefined || (errcode & 0xff) !== SQLITE_BUSY || performance.now() > deadline)
        throw error;
    }
    await sleep(BUSY_PAUSE);
  }
}
