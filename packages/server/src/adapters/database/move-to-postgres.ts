import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { migrate } from '../../database/migrate.ts';
import type { Database } from '../../database/schema.ts';
import { StartError } from '../../process/start-error.ts';
import { tablesOf } from './sqlite-tables.ts';

type Row = Record<string, unknown>;

/** Migration bookkeeping, which is not copied: each database has its own. */
const OWN_TABLES = new Set(['kysely_migration', 'kysely_migration_lock', 'schema_changes']);

/** Rows per statement: PostgreSQL accepts at most 65,535 parameters. */
const ROWS_AT_ONCE = 500;

/** A table that was moved. */
export interface MovedTable {
  table: string;
  rows: number;
}

/**
 * Copies everything from an SQLite database that is not being written to into an empty PostgreSQL database, in one
 * transaction. Each table is read back and has to match by row count and hash. The SQLite database is not changed.
 * Throws `StartError` if the PostgreSQL database is not empty.
 */
export async function moveToPostgres(source: Database, target: Database): Promise<MovedTable[]> {
  await requireEmpty(target);
  await migrate(target);
  const from = source as Kysely<unknown> as Kysely<Record<string, Row>>;
  return (target as Kysely<unknown> as Kysely<Record<string, Row>>).transaction().execute(async (trx) => {
    await requireEmpty(trx);
    const moved: MovedTable[] = [];
    for (const table of await tablesOf(from, OWN_TABLES)) {
      const written = new Fingerprint();
      for await (const rows of table.rows(ROWS_AT_ONCE)) {
        for (const row of rows) written.add(row);
        await trx.insertInto(table.name).values(rows).execute();
      }
      const read = await fingerprintOf(trx, table.name);
      if (read !== written.toString()) {
        throw new Error(`the table ${table.name} changed while it was moved: ${written} became ${read}`);
      }
      moved.push({ table: table.name, rows: written.count });
    }
    return moved;
  });
}

async function requireEmpty(target: Pick<Kysely<never>, 'introspection'> & object): Promise<void> {
  const db = target as Kysely<Record<string, Row>>;
  for (const { name } of await db.introspection.getTables()) {
    if (OWN_TABLES.has(name)) continue;
    const found = await db.selectFrom(name).select(sql`1`.as('one')).limit(1).executeTakeFirst();
    if (!found) continue;
    throw new StartError(
      `The PostgreSQL database is not empty (its table ${name} has rows). Move into an empty one.`,
    );
  }
}

async function fingerprintOf(trx: Kysely<Record<string, Row>>, table: string): Promise<string> {
  const found = new Fingerprint();
  await sql`declare moved no scroll cursor for select * from ${sql.table(table)}`.execute(trx);
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(ROWS_AT_ONCE)} from moved`.execute(trx);
    for (const row of rows) found.add(row);
    if (rows.length < ROWS_AT_ONCE) break;
  }
  await sql`close moved`.execute(trx);
  return found.toString();
}

/** Count and hash of rows, independent of their order: the hash is the sum of the row hashes. */
class Fingerprint {
  count = 0;
  #sum = 0n;

  add(row: Row): void {
    this.count++;
    const columns = Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1));
    const hash = createHash('sha256').update(JSON.stringify(columns)).digest('hex');
    this.#sum = BigInt.asUintN(256, this.#sum + BigInt(`0x${hash}`));
  }

  toString(): string {
    return `${this.count} rows, ${this.#sum.toString(16).padStart(64, '0')}`;
  }
}
