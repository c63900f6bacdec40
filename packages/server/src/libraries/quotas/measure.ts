import type { QuotaAmounts } from '@bindery/contract';
import type { Selectable } from 'kysely';
import type { MaintenanceContext } from '../../context.ts';
import type { Database } from '../../database/schema.ts';
import type { LibraryUsageTable } from '../../database/tables/libraries.ts';
import { changedMeanwhile } from '../../errors.ts';
import { unlessLost } from '../../objects/damaged.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { FileClosure } from '../../revision/file-closure.ts';

export type MeasuringContext = Pick<MaintenanceContext, 'db' | 'revisions'>;

/** How often measuring is attempted while registers change the namespace. */
const ATTEMPTS = 5;

/** Distinct contents. */
export type ContentUsage = Pick<QuotaAmounts, 'files' | 'bytes'>;

/** Returns what a namespace holds now. Throws `unavailable` if it keeps changing while it is measured. */
export async function measureNamespace(
  context: MeasuringContext,
  namespaceId: string,
): Promise<QuotaAmounts> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const usage = await readUsage(context.db, namespaceId);
    if (usage !== null) return usage;
    for (const library of await findUnmeasured(context.db, namespaceId))
      await measureLibrary(context, library);
  }
  throw changedMeanwhile();
}

/**
 * Measures a library and records the result for the revision and releases it was measured with. A library whose index
 * is damaged counts with the totals that its register recorded.
 */
async function measureLibrary(context: MeasuringContext, library: Unmeasured): Promise<void> {
  const { store_id, revision, release_changes, index_sha256, file_count, total_bytes } = library;
  const files = await openClosure(context, store_id, index_sha256);
  const contents = files
    ? await contentsWithReleases(context, { storeId: store_id, files })
    : { files: file_count, bytes: total_bytes };
  await recordUsage(context.db, { store_id, revision, release_changes, ...contents });
}

/** Counts the contents of a closure, and those that only the store's releases have: each content once. */
export async function contentsWithReleases(
  context: MeasuringContext,
  { storeId, files }: { storeId: string; files: FileClosure },
): Promise<ContentUsage> {
  const total: ContentUsage = { files: 0, bytes: 0 };
  await countEach(files, total, () => true);
  const others = new Set<string>();
  for (const index of await releasedIndexes(context.db, storeId)) {
    const released = await openClosure(context, storeId, index);
    if (released === null) continue;
    await countEach(released, total, (place) => {
      if (files.holdsContentOf(released, place)) return false;
      const known = others.size;
      return others.add(released.sha256(place)).size > known;
    });
  }
  return total;
}

async function countEach(
  files: FileClosure,
  total: ContentUsage,
  isNew: (place: number) => boolean,
): Promise<void> {
  for (let place = 0; place < files.count; place++) {
    if (files.isFirstOfContent(place) && isNew(place)) {
      total.files += 1;
      total.bytes += files.size(place);
    }
    if (turnIsOver()) await nextTurn();
  }
}

async function releasedIndexes(db: Database, storeId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('releases')
    .select('index_sha256')
    .where('store_id', '=', storeId)
    .union((eb) =>
      eb
        .selectFrom('proposals')
        .select('index_sha256')
        .where('store_id', '=', storeId)
        .where('state', '=', 'open'),
    )
    .execute();
  return rows.map(({ index_sha256 }) => index_sha256);
}

async function openClosure(
  { revisions }: Pick<MeasuringContext, 'revisions'>,
  storeId: string,
  sha256: string,
): Promise<FileClosure | null> {
  return (await unlessLost(revisions.load({ storeId, sha256 })))?.files ?? null;
}

/** A library whose revision or releases have changed since it was measured. */
interface Unmeasured {
  store_id: string;
  revision: number;
  release_changes: number;
  index_sha256: string;
  file_count: number;
  total_bytes: number;
}

/**
 * Returns what the libraries of a namespace hold, including those in the Trash; null if one of them has changed since it
 * was measured.
 */
export async function readUsage(db: Database, namespaceId: string): Promise<QuotaAmounts | null> {
  const { libraries, measured, files, bytes } = await librariesWithUsage(db, namespaceId)
    .select(({ fn }) => [
      fn.countAll<number | string>().as('libraries'),
      fn.count<number | string>('library_usage.store_id').as('measured'),
      fn.sum<number | string | null>('library_usage.files').as('files'),
      fn.sum<number | string | null>('library_usage.bytes').as('bytes'),
    ])
    .executeTakeFirstOrThrow();
  if (Number(measured) < Number(libraries)) return null;
  return { libraries: Number(libraries), files: Number(files ?? 0), bytes: Number(bytes ?? 0) };
}

async function findUnmeasured(db: Database, namespaceId: string): Promise<Unmeasured[]> {
  return librariesWithUsage(db, namespaceId)
    .select([
      'libraries.store_id',
      'libraries.revision',
      'libraries.index_sha256',
      'libraries.file_count',
      'libraries.total_bytes',
      'library_names.release_changes',
    ])
    .where('library_usage.store_id', 'is', null)
    .execute();
}

function librariesWithUsage(db: Database, namespaceId: string) {
  return db
    .selectFrom('libraries')
    .innerJoin('library_names', 'library_names.store_id', 'libraries.store_id')
    .leftJoin('library_usage', (join) =>
      join
        .onRef('library_usage.store_id', '=', 'libraries.store_id')
        .onRef('library_usage.revision', '=', 'libraries.revision')
        .onRef('library_usage.release_changes', '=', 'library_names.release_changes'),
    )
    .where('libraries.namespace_id', '=', namespaceId);
}

export async function recordUsage(db: Database, usage: Selectable<LibraryUsageTable>): Promise<void> {
  await db
    .insertInto('library_usage')
    .values(usage)
    .onConflict((conflict) => conflict.column('store_id').doUpdateSet(usage))
    .execute();
}
