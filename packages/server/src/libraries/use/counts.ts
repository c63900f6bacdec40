import { sql } from 'kysely';
import type { ReadableLibrary } from '../../access/libraries.ts';
import { requireAccount, requireWriteScope, type Viewer } from '../../access/viewer.ts';
import type { Context, DatabaseContext } from '../../context.ts';
import { callerOf } from '../../limits/callers.ts';
import { openRevision } from '../../objects/open-revision.ts';
import type { UseCount } from './use-counter.ts';

/** Rows that one statement writes. */
const AT_ONCE = 200;

/** Writes what has been counted since the last time; the counts of several servers add up. */
export async function writeUseCounts({ db, useCounter }: Pick<Context, 'db' | 'useCounter'>): Promise<void> {
  const counts = await useCounter.take();
  for (let at = 0; at < counts.length; at += AT_ONCE) {
    const some = await withoutDeleted(db, counts.slice(at, at + AT_ONCE));
    if (some.length === 0) continue;
    const rows = some.map(({ storeId, assetId, downloads, uses }) => ({
      store_id: storeId,
      asset_id: assetId,
      downloads,
      uses,
    }));
    await db
      .insertInto('use_counts')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['store_id', 'asset_id']).doUpdateSet(({ ref }) => ({
          downloads: sql<number>`${ref('use_counts.downloads')} + ${ref('excluded.downloads')}`,
          uses: sql<number>`${ref('use_counts.uses')} + ${ref('excluded.uses')}`,
        })),
      )
      .execute();
  }
}

async function withoutDeleted(db: DatabaseContext['db'], counts: readonly UseCount[]): Promise<UseCount[]> {
  const stores = [...new Set(counts.map(({ storeId }) => storeId))];
  const rows = await db.selectFrom('libraries').select('store_id').where('store_id', 'in', stores).execute();
  const present = new Set(rows.map(({ store_id }) => store_id));
  return counts.filter(({ storeId }) => present.has(storeId));
}

/** How often an asset was downloaded and pinned by projects, or the assets of a library together. */
export interface Uses {
  downloads: number;
  usedBy: number;
}

/** Returns the counts of an asset, or of a library for the empty id; undefined if nothing is counted. */
export async function usesOf(
  { db, useCounter }: Pick<Context, 'db' | 'useCounter'>,
  storeId: string,
  assetId = '',
): Promise<Uses | undefined> {
  if (!useCounter.isOn) return undefined;
  const row = await db
    .selectFrom('use_counts')
    .select(['downloads', 'uses'])
    .where('store_id', '=', storeId)
    .where('asset_id', '=', assetId)
    .executeTakeFirst();
  return { downloads: Number(row?.downloads ?? 0), usedBy: Number(row?.uses ?? 0) };
}

/**
 * Counts that a project of the viewer has pinned assets of a library, each asset once a day. Ids that the library does
 * not have are ignored.
 */
export async function countUses(
  context: Context,
  viewer: Viewer,
  { row }: ReadableLibrary,
  assetIds: readonly string[],
): Promise<void> {
  if (!context.useCounter.isOn) return;
  const { index } = await openRevision(context, row);
  const known = [...new Set(assetIds)].filter((id) => index.indexOfAsset(id) >= 0);
  const address = callerOf(viewer.origin?.address ?? '');
  const caller = viewer.kind === 'account' ? `account ${viewer.accountId}` : `address ${address}`;
  context.useCounter.used(caller, row.store_id, known);
}

/** Marks a library for the viewer alone, or takes that back. Both can be repeated. A token that only reads may not. */
export async function setFavourite(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  { row }: ReadableLibrary,
  isFavourite: boolean,
): Promise<void> {
  const account = requireAccount(viewer);
  requireWriteScope(account);
  const key = { account_id: account.accountId, library_id: row.id };
  if (isFavourite) {
    await db
      .insertInto('favourites')
      .values({ ...key, created_at: clock() })
      .onConflict((conflict) => conflict.columns(['account_id', 'library_id']).doNothing())
      .execute();
  } else {
    await db
      .deleteFrom('favourites')
      .where('account_id', '=', key.account_id)
      .where('library_id', '=', key.library_id)
      .execute();
  }
}

/** Whether the viewer has marked a library. */
export async function isFavourite(
  { db }: DatabaseContext,
  viewer: Viewer,
  { row }: ReadableLibrary,
): Promise<boolean> {
  if (viewer.kind === 'anonymous') return false;
  const found = await db
    .selectFrom('favourites')
    .select('library_id')
    .where('account_id', '=', viewer.accountId)
    .where('library_id', '=', row.id)
    .executeTakeFirst();
  return found !== undefined;
}
