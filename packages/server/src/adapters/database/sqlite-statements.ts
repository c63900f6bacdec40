import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { CompiledQuery, QueryResult } from 'kysely';

/** How many prepared statements stay ready. */
const CAPACITY = 500;

/** Runs queries on one open database; those that were used last stay prepared. */
export class SqliteStatements {
  readonly database: DatabaseSync;
  readonly #ready = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  run<Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> {
    const statement = this.#prepare(sql);
    const values = parameters as SQLInputValue[];
    if (statement.columns().length > 0) return { rows: statement.all(...values) as Row[] };
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  #prepare(sql: string): StatementSync {
    const ready = this.#ready.get(sql);
    if (ready) {
      this.#ready.delete(sql);
      this.#ready.set(sql, ready);
      return ready;
    }
    const statement = this.database.prepare(sql);
    this.#ready.set(sql, statement);
    if (this.#ready.size > CAPACITY) {
      const oldest = this.#ready.keys().next().value;
      if (oldest !== undefined) this.#ready.delete(oldest);
    }
    return statement;
  }
}
