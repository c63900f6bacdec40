import { findRevision, type LibraryRow, type RevisionRow } from '../../access/libraries.ts';
import type { MaintenanceContext } from '../../context.ts';
import { atRetired, distinctRevisions, libraryOf, referencesOf } from '../references.ts';
import { type CheckedRevision, checkRevision } from './check-revision.ts';
import { clearDamaged, recordDamaged } from './damage.ts';
import { type Finding, type FsckOptions, FsckProgress, type FsckReport } from './finding.ts';
import { findStaleRows, findUnreferenced } from './unreferenced.ts';

/** How often a revision is checked at most if newer ones keep replacing it. */
const ATTEMPTS = 5;

/**
 * Compares what the database refers to with what is stored. The service may be running. Deletes no objects: those that
 * nothing refers to are left to reclaim. `stores` lists every store that has bytes, if that is possible.
 */
export async function fsck(
  context: MaintenanceContext,
  options: FsckOptions,
  stores: () => Promise<readonly string[]> = async () => [],
): Promise<FsckReport> {
  const progress = new FsckProgress();
  // A store has its row before it has bytes. Stores are listed first, so one without a row belongs to no library.
  const listed = await stores();
  const names = await context.db
    .selectFrom('library_names')
    .select(['store_id', 'namespace_slug', 'name'])
    .orderBy('namespace_slug')
    .orderBy('name')
    .execute();
  for (const { store_id: storeId, namespace_slug, name } of names) {
    await checkStore(context, storeId, `${namespace_slug}/${name}`, options, progress);
  }
  const known = new Set(names.map(({ store_id }) => store_id));
  progress.add(
    await findStrayStores(
      context,
      listed.filter((storeId) => !known.has(storeId)),
      stores,
    ),
  );
  return progress.report;
}

async function checkStore(
  context: MaintenanceContext,
  storeId: string,
  address: string,
  options: FsckOptions,
  progress: FsckProgress,
): Promise<void> {
  const { db } = context;
  const library = await libraryOf(db, storeId);
  if (library) progress.libraries++;
  const rows = library ? await rowsOf(context, library) : [];
  for (const row of rows) {
    // Most files of history are those of the current revision, whose bytes are read.
    const extent = row.isRetired ? { ...options, readShare: 0 } : options;
    const checked = await checkUnchanged(context, row, address, extent);
    progress.revisions++;
    progress.objects += checked.objects;
    progress.objectsRead += checked.objectsRead;
    progress.add(checked.findings);
    if (options.repair) {
      await recordDamaged(context, storeId, filesWith('damaged', checked.findings));
      await clearDamaged(context.db, storeId, filesWith('recorded-as-damaged', checked.findings));
    }
  }
  const about = library ? address : null;
  const left = [
    ...(await findUnreferenced(context, storeId, about, options.repair)),
    ...(await findStaleRows(context, storeId, about, options.repair)),
  ];
  // A purge deletes bytes before the rows about them, so findings about a purged store are dropped.
  if (left.length > 0 && (await hasName(db, storeId))) progress.add(left);
}

/** Returns the current revision of a library, its releases, what is proposed, and those that are kept as history. */
async function rowsOf(context: MaintenanceContext, library: LibraryRow): Promise<RevisionRow[]> {
  const { releases, proposals, retired } = await referencesOf(context, library.store_id, context.clock());
  const described = retired.filter(({ described }) => described !== null);
  return distinctRevisions([library, ...releases, ...proposals, ...described]).map((row) =>
    'described' in row ? atRetired(library, row) : row,
  );
}

/** Returns the hashes of the files with this problem. Those recorded as damaged are uploaded again by the next push. */
function filesWith(wanted: Finding['problem'], findings: readonly Finding[]): string[] {
  return findings.flatMap(({ problem, what, sha256 }) =>
    problem === wanted && what === 'file' && sha256 !== null ? [sha256] : [],
  );
}

/** Whether a name still has this store; a purge gives the name a new one. */
async function hasName(db: MaintenanceContext['db'], storeId: string): Promise<boolean> {
  const row = await db
    .selectFrom('library_names')
    .select('store_id')
    .where('store_id', '=', storeId)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Checks a revision; if it was replaced meanwhile, checks the newer one. Drops the findings if the library or release
 * no longer exists: then nothing is missing.
 */
async function checkUnchanged(
  context: MaintenanceContext,
  row: RevisionRow,
  address: string,
  options: FsckOptions,
): Promise<CheckedRevision> {
  let current = row;
  for (let attempt = 1; ; attempt++) {
    const checked = await checkRevision(context, current, address, options);
    if (checked.findings.length === 0) return checked;
    const now = current.isRetired
      ? await stillKept(context, current)
      : await findRevision(context.db, current);
    if (now === null) return { ...checked, findings: [] };
    if (now.revision === current.revision || attempt === ATTEMPTS) return checked;
    current = now;
  }
}

async function stillKept(context: MaintenanceContext, row: RevisionRow): Promise<RevisionRow | null> {
  const { retired } = await referencesOf(context, row.store_id, context.clock());
  return retired.some(({ revision }) => revision === row.revision) ? row : null;
}

/** Finds stores that are unknown to this database. They may belong to another one, so nothing here deletes them. */
async function findStrayStores(
  { db }: MaintenanceContext,
  candidates: readonly string[],
  stores: () => Promise<readonly string[]>,
): Promise<Finding[]> {
  if (candidates.length === 0) return [];
  const names = await db.selectFrom('library_names').select('store_id').execute();
  const dead = await db.selectFrom('dead_stores').select('store_id').execute();
  const known = new Set([...names, ...dead].map(({ store_id }) => store_id));
  // A purge that finished meanwhile has left neither a row nor bytes.
  const still = new Set(await stores());
  return candidates
    .filter((storeId) => !known.has(storeId) && still.has(storeId))
    .map((storeId) => ({
      problem: 'orphan',
      what: 'store',
      storeId,
      library: null,
      revision: null,
      sha256: null,
      path: null,
      isRepaired: false,
      remedy: 'no library of this database uses it; delete its folder if no other database does',
    }));
}
