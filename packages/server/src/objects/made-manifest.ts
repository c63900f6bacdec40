import type { RevisionRow } from '../access/libraries.ts';
import type { MaintenanceContext } from '../context.ts';
import { contentLost } from '../errors.ts';
import { atRetired, libraryOf, retiredRevisions } from './references.ts';

/**
 * Makes the manifest of a revision that is kept as differences an object again, of the nearest later one that is stored
 * whole; reclaim deletes it like what nothing refers to. The caller holds the store. Throws `content_lost`.
 */
export async function makeManifest(
  context: Omit<MaintenanceContext, 'indexRepairer'>,
  row: RevisionRow,
): Promise<void> {
  const { objects, revisionWorkers } = context;
  const { store_id: storeId, manifest_sha256: sha256 } = row;
  if (row.differences === undefined || (await objects.size({ storeId, sha256 })) !== null) return;
  const named = async (sha256: string) => ({ sha256, file: await objects.localFile({ storeId, sha256 }) });
  const differences: string[] = [];
  for (const later of await revisionsFrom(context, row)) {
    const size = await objects.size({ storeId, sha256: later.manifest_sha256 });
    if (size !== null) {
      const made = await revisionWorkers.change({
        manifest: { ...(await named(later.manifest_sha256)), size },
        changes: { of: 'differences', files: await Promise.all(differences.toReversed().map(named)) },
      });
      if (made.kind === 'damaged' || made.sha256 !== sha256) break;
      await objects.write(storeId, made.manifest);
      return;
    }
    if (later.differences === undefined) break;
    differences.push(later.differences);
  }
  throw contentLost(`the manifest of revision ${row.revision}`);
}

/** The revisions of a library from this one on to the current one, as far as they are kept. */
async function revisionsFrom(
  { db }: Pick<MaintenanceContext, 'db'>,
  row: RevisionRow,
): Promise<RevisionRow[]> {
  const retired = await retiredRevisions(db, row.store_id)
    .where('revision', '>=', row.revision)
    .orderBy('revision')
    .execute();
  const library = await libraryOf(db, row.store_id);
  return [...retired.map((revision) => atRetired(row, revision)), ...(library ? [library] : [])];
}
