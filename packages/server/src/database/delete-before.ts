import { type RawBuilder, sql } from 'kysely';
import type { Database, Tables } from './schema.ts';

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
