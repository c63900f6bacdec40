import type { Release } from '@bindery/contract';
import type { Selectable } from 'kysely';
import { proposedRows, type ReadableLibrary, type RevisionRow } from '../../access/libraries.ts';
import type { Context, DatabaseContext, MaintenanceContext } from '../../context.ts';
import { countRows, type PageRequest, pageOffset, pageSummary } from '../../database/queries.ts';
import type { ReleasesTable } from '../../database/tables/libraries.ts';
import { notFound } from '../../errors.ts';
import { openRevision } from '../../objects/open-revision.ts';
import { distinctRevisions, documentsOf, releasedRows } from '../../objects/references.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { FileClosure } from '../../revision/file-closure.ts';

type ReleasePage = ReturnType<typeof pageSummary> & { releases: Release[] };

/** Returns a page of the releases of a library, newest first. */
export async function listReleases(
  { db }: DatabaseContext,
  { row, viewerCanManage }: ReadableLibrary,
  page: PageRequest,
): Promise<ReleasePage> {
  const total = await countRows(db.selectFrom('releases').where('store_id', '=', row.store_id));
  const rows = await selectReleases(db, row.store_id)
    .orderBy('releases.created_at', 'desc')
    .orderBy('releases.revision', 'desc')
    .orderBy('releases.name')
    .limit(page.pageSize)
    .offset(pageOffset(page))
    .execute();
  return {
    releases: rows.map((release) => describeRelease(release, viewerCanManage ? release.user_name : null)),
    ...pageSummary(page, total),
  };
}

/** Returns one release. Throws `not_found`, as for the library itself. */
export async function readRelease(
  { db }: DatabaseContext,
  library: ReadableLibrary,
  name: string,
): Promise<Release> {
  const release = await findRelease(db, library, name);
  if (release === null) throw notFound();
  return release;
}

/** Returns one release, or null. */
export async function findRelease(
  db: Context['db'],
  { row, viewerCanManage }: ReadableLibrary,
  name: string,
): Promise<Release | null> {
  const release = await selectReleases(db, row.store_id).where('releases.name', '=', name).executeTakeFirst();
  return release === undefined ? null : describeRelease(release, viewerCanManage ? release.user_name : null);
}

function selectReleases(db: Context['db'], storeId: string) {
  return db
    .selectFrom('releases')
    .leftJoin('accounts', 'accounts.id', 'releases.created_by')
    .where('releases.store_id', '=', storeId)
    .select(DESCRIBED_COLUMNS)
    .select('accounts.user_name');
}

/** What the deletion of a release frees once the grace period is over; sizes in bytes. */
interface DeletionPreview {
  objectsFreed: number;
  bytesFreed: number;
}

/** Returns what only this release refers to: neither the current revision nor another release does. */
export async function previewReleaseDeletion(
  context: MaintenanceContext,
  library: RevisionRow,
  name: string,
): Promise<DeletionPreview> {
  if (library.state !== 'active') throw notFound();
  const releases = await releasedRows(context.db, library.store_id);
  const release = releases.find((row) => row.release === name);
  if (!release) throw notFound();
  const proposals = await proposedRows(context.db, library);
  const others = [library, ...releases.filter((row) => row !== release), ...proposals];
  const files = await filesFreed(context, release, others);
  const documents = await documentsFreed(context, release, others);
  return {
    objectsFreed: files.objectsFreed + documents.objectsFreed,
    bytesFreed: files.bytesFreed + documents.bytesFreed,
  };
}

async function filesFreed(
  context: MaintenanceContext,
  release: RevisionRow,
  others: readonly RevisionRow[],
): Promise<DeletionPreview> {
  const { files } = (await openRevision(context, release)).index;
  const alone = new Uint8Array(files.count).fill(1);
  for (const other of distinctRevisions(others)) {
    if (other.index_sha256 === release.index_sha256) return { objectsFreed: 0, bytesFreed: 0 };
    await dropShared(alone, files, (await openRevision(context, other)).index.files);
  }
  const freed: DeletionPreview = { objectsFreed: 0, bytesFreed: 0 };
  for (let place = 0; place < files.count; place++) {
    if (alone[place] === 1 && files.isFirstOfContent(place)) {
      freed.objectsFreed += 1;
      freed.bytesFreed += files.size(place);
    }
    if (turnIsOver()) await nextTurn();
  }
  return freed;
}

async function dropShared(alone: Uint8Array, files: FileClosure, other: FileClosure): Promise<void> {
  for (let place = 0; place < files.count; place++) {
    if (alone[place] === 1 && other.holdsContentOf(files, place)) alone[place] = 0;
    if (turnIsOver()) await nextTurn();
  }
}

async function documentsFreed(
  { objects }: MaintenanceContext,
  release: RevisionRow,
  others: readonly RevisionRow[],
): Promise<DeletionPreview> {
  const elsewhere = new Set(others.flatMap(documentsOf));
  const hashes = [...new Set(documentsOf(release))].filter((sha256) => !elsewhere.has(sha256));
  const sizes = await Promise.all(
    hashes.map((sha256) => objects.size({ storeId: release.store_id, sha256 })),
  );
  return {
    objectsFreed: hashes.length,
    bytesFreed: sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0),
  };
}

/** The columns that `describeRelease` needs. */
const DESCRIBED_COLUMNS = [
  'releases.name',
  'releases.revision',
  'releases.notes',
  'releases.manifest_sha256',
  'releases.manifest_size',
  'releases.asset_count',
  'releases.file_count',
  'releases.total_bytes',
  'releases.created_at',
] as const;

type Described = Pick<
  Selectable<ReleasesTable>,
  | 'name'
  | 'revision'
  | 'notes'
  | 'manifest_sha256'
  | 'manifest_size'
  | 'asset_count'
  | 'file_count'
  | 'total_bytes'
  | 'created_at'
>;

/** A release as the API returns it; `createdBy` is null for viewers who cannot manage the library. */
export function describeRelease(row: Described, createdBy: string | null): Release {
  return {
    name: row.name,
    revision: row.revision,
    notes: row.notes,
    manifest: { sha256: row.manifest_sha256, size: row.manifest_size },
    assetCount: row.asset_count,
    fileCount: row.file_count,
    totalBytes: row.total_bytes,
    createdBy,
    createdAt: new Date(row.created_at).toISOString(),
  };
}
