import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { CompiledQuery, QueryResult } from 'kysely';
import { LRUCache } from 'lru-cache';

/** How many prepared statements are cached. */
const MAX_STATEMENTS = 500;

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
