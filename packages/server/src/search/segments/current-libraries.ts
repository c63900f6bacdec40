import type { LibraryRow } from '../../access/libraries.ts';
import type { SearchContext } from '../../context.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { JoinedRevision } from './segments.ts';

/** What joining works with. */
export type JoiningContext = Pick<
  SearchContext,
  'db' | 'clock' | 'log' | 'segments' | 'encoder' | 'derivedVectors'
>;

/** Rows that one statement reads. */
const ROWS_AT_ONCE = 500;

/** The columns of a library's row. */
const READ = [
  'id',
  'state',
  'store_id',
  'index_sha256',
  'codes_sha256',
  'vectors_model',
  'vectors_dim',
  'manifest_layout',
  'asset_count',
] as const;

/** A library as it is now. */
export type Library = JoinedRevision & { assets: number; row: Pick<LibraryRow, (typeof READ)[number]> };

/** Reads all rows by their key: with a condition, SQLite would sort them for every page. */
export async function findLibraries(db: SearchContext['db']): Promise<Library[]> {
  const libraries: Library[] = [];
  const statement = db.selectFrom('libraries').select(READ).orderBy('id').limit(ROWS_AT_ONCE);
  for (let last = ''; ; ) {
    const rows = await statement.where('id', '>', last).execute();
    for (const row of rows) {
      if (row.state !== 'active') continue;
      libraries.push({
        storeId: row.store_id,
        indexSha256: row.index_sha256,
        layout: row.manifest_layout,
        assets: row.asset_count,
        row,
      });
    }
    last = rows.at(-1)?.id ?? '';
    if (rows.length < ROWS_AT_ONCE) return libraries;
    if (turnIsOver()) await nextTurn();
  }
}
