import { randomBytes } from 'node:crypto';
import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Database, Tables } from './schema.ts';

/** A numbered page of rows; the first is page 1. */
export interface PageRequest {
  page: number;
  pageSize: number;
}

export function pageOffset({ page, pageSize }: PageRequest): number {
  return (page - 1) * pageSize;
}

export function pageSummary({ page, pageSize }: PageRequest, total: number) {
  return { total, page, pageSize, totalPages: Math.ceil(total / pageSize) };
}

/** Returns how many rows a query finds. */
export async function countRows<DB, TB extends keyof DB, O>(
  rows: SelectQueryBuilder<DB, TB, O>,
): Promise<number> {
  const { total } = await rows
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .$castTo<{ total: number }>()
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** Returns the rows of a page that begins after a cursor, and where it ends: `found` has one more row if there is one. */
export function cursorPage<Row extends { id: string }>(found: readonly Row[], first: number) {
  const rows = found.slice(0, first);
  return { rows, pageInfo: { endCursor: rows.at(-1)?.id ?? null, hasNextPage: found.length > first } };
}

/** Returns the text of a `search_text` column for these names. */
export function searchText(...names: string[]): string {
  return names.map((name) => name.toLowerCase()).join('\n');
}

/** Matches a literal, case-insensitive substring of a `search_text` column. An empty search matches everything. */
export function matchesSearch(column: string, search: string): RawBuilder<SqlBool> {
  return like(column, `%${escapePattern(search.toLowerCase())}%`);
}

/** Like `matchesSearch`, for a column with names as people wrote them. SQLite ignores case only in ASCII letters. */
export function matchesName(column: string, search: string): RawBuilder<SqlBool> {
  const pattern = `%${escapePattern(search.toLowerCase())}%`;
  return sql<SqlBool>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`;
}

/** Matches rows whose column starts with the text. */
export function matchesPrefix(column: string, prefix: string): RawBuilder<SqlBool> {
  return like(column, `${escapePattern(prefix)}%`);
}

function escapePattern(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

function like(column: string, pattern: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} like ${pattern} escape '\\'`;
}

/** Rows deleted per statement: few enough not to delay others. */
const ROWS_AT_ONCE = 1_000;

type Column<Table extends keyof Tables> = keyof Tables[Table] & string;

/** Deletes the rows of a table whose `time` is less than `before` and for which `where` is true, in batches. */
export async function deleteBefore<Table extends keyof Tables>(
  db: Database,
  table: Table,
  { key, time, where }: { key: readonly Column<Table>[]; time: Column<Table>; where?: RawBuilder<boolean> },
  before: number | string,
): Promise<void> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const condition = where ? sql`and (${where})` : sql``;
  const few = sql`delete from ${sql.table(table)} where (${columns}) in
    (select ${columns} from ${sql.table(table)} where ${sql.ref(time)} < ${before} ${condition} limit ${sql.lit(ROWS_AT_ONCE)})`;
  for (;;) {
    const { numAffectedRows = 0n } = await few.execute(db);
    if (numAffectedRows < ROWS_AT_ONCE) return;
  }
}

let made = 0;

/** Returns 32 hexadecimal digits: the time in milliseconds, then a counter of this process, then random digits. */
export function sortableId(now: number): string {
  made = (made + 1) % 0x1_0000;
  return hex(now, 12) + hex(made, 4) + randomBytes(8).toString('hex');
}

/** A time as bodies have it; null for none. */
export function timeOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** Returns a lower bound of the ids of this time or later; all earlier ids are below it. */
export function firstSortableId(time: number): string {
  return hex(time, 12);
}

function hex(number: number, digits: number): string {
  return Math.max(0, Math.trunc(number)).toString(16).padStart(digits, '0');
}
