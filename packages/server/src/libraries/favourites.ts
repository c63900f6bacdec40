import type { ReadableLibrary } from '../access/libraries.ts';
import { requireAccount, requireWriteScope, type Viewer } from '../access/viewer.ts';
import type { DatabaseContext } from '../context.ts';

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
