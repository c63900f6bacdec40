import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { needsNoSync } from '../../database/durability.ts';
import { nextTurn, turnIsOver } from '../../service/turns.ts';
import type { SqliteJournal } from './sqlite-journal.ts';
import type { SqliteStatements } from './sqlite-statements.ts';

/** Milliseconds to wait for another process that writes. */
const BUSY_TIMEOUT = 10_000;
const BUSY_PAUSE = 5;
const SQLITE_BUSY = 5;

/** What all connections share. */
export interface OpenSqlite {
  writer: SqliteStatements;
  /** Reads outside transactions; null where only the writer sees the database (`:memory:`). */
  reader: SqliteStatements | null;
  /** Null for a database that is in no file. */
  journal: SqliteJournal | null;
  /** Waits for the turn to write; call what it returns to end it. */
  takeTurn(): Promise<() => void>;
}

/**
 * One borrower's view. Transactions and writes take turns on the writing connection; reads outside a transaction go
 * to a connection of their own and wait for nobody. Queries run on the event loop and give it back between two of them;
 * else a request of many would hold it from the first to the last.
 */
export class SqliteConnection implements DatabaseConnection {
  readonly #shared: OpenSqlite;
  /** Ends the turn of the running transaction. */
  #endTurn: (() => void) | null = null;
  /** Whether the running transaction wrote what must survive a power cut. */
  #mustSync = false;

  constructor(shared: OpenSqlite) {
    this.#shared = shared;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { writer, reader } = this.#shared;
    if (this.#endTurn) {
      this.#mustSync ||= !isRead(query) && !needsNoSync(query);
      return writer.run(query);
    }
    if (turnIsOver()) await nextTurn();
    if (reader && isRead(query)) return unlessBusy(() => reader.run(query));
    return this.#write(query);
  }

  // biome-ignore lint/correctness/useYield: the interface asks for a generator; a synchronous driver has no cursor
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('The SQLite driver does not stream.');
  }

  async begin(): Promise<void> {
    const endTurn = await this.#shared.takeTurn();
    try {
      await unlessBusy(() => this.#shared.writer.database.exec('begin immediate'));
    } catch (error) {
      endTurn();
      throw error;
    }
    this.#endTurn = endTurn;
  }

  /** The next transaction need not wait until this one is on the disk; whoever waits for this one does. */
  async commit(): Promise<void> {
    this.#shared.writer.database.exec('commit');
    const mustSync = this.#mustSync;
    this.#release();
    if (mustSync) await this.#shared.journal?.sync();
  }

  async rollback(): Promise<void> {
    const { database } = this.#shared.writer;
    if (this.#endTurn && database.isTransaction) database.exec('rollback');
    this.#release();
  }

  async #write<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { takeTurn, writer, journal } = this.#shared;
    const endTurn = await takeTurn();
    let result: QueryResult<Row>;
    try {
      result = await unlessBusy(() => writer.run<Row>(query));
    } finally {
      endTurn();
    }
    if (!needsNoSync(query)) await journal?.sync();
    return result;
  }

  #release(): void {
    this.#endTurn?.();
    this.#endTurn = null;
    this.#mustSync = false;
  }
}

function isRead({ query, sql }: CompiledQuery): boolean {
  return query.kind === 'SelectQueryNode' || (query.kind === 'RawNode' && /^\s*select\b/i.test(sql));
}

/** Tries again while another process writes, without holding the event loop meanwhile. */
async function unlessBusy<Result>(run: () => Result): Promise<Result> {
  const deadline = performance.now() + BUSY_TIMEOUT;
  for (;;) {
    try {
      return run();
    } catch (error) {
      const { errcode } = error as { errcode?: number };
      // Extended codes keep the primary one in their low byte.
      if (errcode === undefined || (errcode & 0xff) !== SQLITE_BUSY || performance.now() > deadline)
        throw error;
    }
    await sleep(BUSY_PAUSE);
  }
}
