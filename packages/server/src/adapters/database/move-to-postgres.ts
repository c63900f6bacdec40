import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { migrate } from '../../database/migrate.ts';
import type { Database } from '../../database/schema.ts';
import { StartError } from '../../errors.ts';

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

type AnyDatabase = Kysely<Record<string, Row>>;

/** A table whose rows can be inserted elsewhere in the order in which they are read. */
export interface ReadableTable {
  name: string;
  /** The rows in batches of at most `atOnce`, each row after the rows of the same table that it refers to. */
  rows(atOnce: number): AsyncIterable<Row[]>;
}

interface Reference {
  /** Column of this table. */
  from: string;
  /** Table and column that it refers to. */
  table: string;
  to: string;
}

/** Returns every table of an SQLite database except those in `leftOut`, each after the tables that it refers to. */
export async function tablesOf(db: AnyDatabase, leftOut: ReadonlySet<string>): Promise<ReadableTable[]> {
  const names = (await db.introspection.getTables())
    .map(({ name }) => name)
    .filter((name) => !leftOut.has(name));
  const references = new Map<string, Reference[]>();
  for (const name of names) {
    const { rows } = await sql<Reference>`pragma foreign_key_list(${sql.table(name)})`.execute(db);
    references.set(name, rows);
  }
  return inOrder(names, references).map((name) => {
    const own = references.get(name)?.find(({ table }) => table === name);
    return {
      name,
      rows: (atOnce) => (own ? readRowsParentsFirst(db, name, own, atOnce) : readRows(db, name, atOnce)),
    };
  });
}

function inOrder(names: readonly string[], references: ReadonlyMap<string, Reference[]>): string[] {
  const ordered: string[] = [];
  const visit = (name: string) => {
    if (ordered.includes(name)) return;
    for (const { table } of references.get(name) ?? []) if (table !== name) visit(table);
    ordered.push(name);
  };
  for (const name of names) visit(name);
  return ordered;
}

async function* readRows(db: AnyDatabase, name: string, atOnce: number): AsyncGenerator<Row[]> {
  for (let last = 0; ; ) {
    const { rows } = await sql<
      Row & { moved_row: number }
    >`select rowid as moved_row, * from ${sql.table(name)}
      where rowid > ${last} order by rowid limit ${sql.lit(atOnce)}`.execute(db);
    last = rows.at(-1)?.moved_row ?? last;
    if (rows.length > 0) yield rows.map(({ moved_row: _, ...row }) => row);
    if (rows.length < atOnce) return;
  }
}

/** Yields the rows layer by layer: first those that refer to no row of the table, then those that refer to them. */
async function* readRowsParentsFirst(
  db: AnyDatabase,
  name: string,
  { from, to }: Reference,
  atOnce: number,
): AsyncGenerator<Row[]> {
  const { rows } = await sql<Row>`select * from ${sql.table(name)}`.execute(db);
  const below = Map.groupBy(rows, (row): unknown => row[from] ?? null);
  for (let layer = below.get(null) ?? []; layer.length > 0; ) {
    for (let at = 0; at < layer.length; at += atOnce) yield layer.slice(at, at + atOnce);
    layer = layer.flatMap((row) => below.get(row[to]) ?? []);
  }
}
