import type { Release } from '@bindery/contract';
import { type LibraryAddress, loadLibrary } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { Context, DatabaseContext } from '../../context.ts';
import { type PageRequest, pageOffset, pageSummary } from '../../database/queries.ts';
import { notFound } from '../../errors.ts';
import { DESCRIBED_COLUMNS, describeRelease } from './describe.ts';

export type ReleasePage = ReturnType<typeof pageSummary> & { releases: Release[] };

/** Returns a page of the releases of a library, newest first. */
export async function listReleases(
  { db }: DatabaseContext,
  viewer: Viewer,
  address: LibraryAddress,
  readQuery: () => PageRequest,
): Promise<ReleasePage> {
  const { row, viewerCanManage } = await loadLibrary(db, viewer, address);
  const page = readQuery();
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

/** Returns one release. Throws `not_found` as for the library itself. */
export async function readRelease(
  { db }: DatabaseContext,
  viewer: Viewer,
  { release: name, ...address }: LibraryAddress & { release: string },
  readQuery: () => unknown,
): Promise<Release> {
  const { row, viewerCanManage } = await loadLibrary(db, viewer, address);
  readQuery();
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
