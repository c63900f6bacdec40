import type { Release } from '@bindery/contract';
import type { ReadableLibrary } from '../../access/libraries.ts';
import type { Context, DatabaseContext } from '../../context.ts';
import { type PageRequest, pageOffset, pageSummary } from '../../database/queries.ts';
import { notFound } from '../../errors.ts';
import { DESCRIBED_COLUMNS, describeRelease } from './describe.ts';

export type ReleasePage = ReturnType<typeof pageSummary> & { releases: Release[] };

/** Returns a page of the releases of a library, newest first. */
export async function listReleases(
  { db }: DatabaseContext,
  { row, viewerCanManage }: ReadableLibrary,
  page: PageRequest,
): Promise<ReleasePage> {
  const { total } = await db
    .selectFrom('releases')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('store_id', '=', row.store_id)
    .executeTakeFirstOrThrow();
  const rows = await selectReleases(db, row.store_id)
    .orderBy('releases.created_at', 'desc')
    .orderBy('releases.revision', 'desc')
    .orderBy('releases.name')
    .limit(page.pageSize)
    .offset(pageOffset(page))
    .execute();
  return {
    releases: rows.map((release) => describeRelease(release, viewerCanManage ? release.user_name : null)),
    ...pageSummary(page, Number(total)),
  };
}

/** Returns one release. Throws `not_found`, as for the library itself. */
export async function readRelease(
  { db }: DatabaseContext,
  { row, viewerCanManage }: ReadableLibrary,
  name: string,
): Promise<Release> {
  const release = await selectReleases(db, row.store_id).where('releases.name', '=', name).executeTakeFirst();
  if (!release) throw notFound();
  return describeRelease(release, viewerCanManage ? release.user_name : null);
}

function selectReleases(db: Context['db'], storeId: string) {
  return db
    .selectFrom('releases')
    .leftJoin('accounts', 'accounts.id', 'releases.created_by')
    .where('releases.store_id', '=', storeId)
    .select(DESCRIBED_COLUMNS)
    .select('accounts.user_name');
}
