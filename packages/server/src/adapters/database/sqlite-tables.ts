import { type Kysely, sql } from 'kysely';

type Row = Record<string, unknown>;
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
