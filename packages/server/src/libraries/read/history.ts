import type { LibraryHistory } from '@bindery/contract';
import type { ReadableLibrary } from '../../access/libraries.ts';
import type { MaintenanceContext } from '../../context.ts';
import {
  distinctRevisions,
  documentsOf,
  dropListed,
  openClosure,
  type References,
  referencesOf,
} from '../../objects/references.ts';
import type { StoredObject } from '../../objects/store.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';

/** Returns which earlier revisions of a library are kept, and what is stored for them alone. */
export async function readHistory(
  context: MaintenanceContext,
  { row }: ReadableLibrary,
): Promise<LibraryHistory> {
  const { configuration, objects, clock } = context;
  const references = await referencesOf(context, row.store_id, clock());
  const files = await filesOfHistory(context, row.store_id, references);
  const standing = new Set(
    [references.library ?? row, ...references.releases, ...references.proposals].flatMap(documentsOf),
  );
  const stored = [...files];
  for (const sha256 of references.documents.difference(standing)) {
    const size = await objects.size({ storeId: row.store_id, sha256 });
    if (size !== null) stored.push({ sha256, size });
  }
  return {
    days: configuration.historyDays,
    revisions: references.retired.length,
    objects: stored.length,
    bytes: stored.reduce((sum, { size }) => sum + size, 0),
  };
}

/** Returns the files that only replaced revisions have. What a lost index lists is left out. */
async function filesOfHistory(
  { objects }: MaintenanceContext,
  storeId: string,
  { library, releases, proposals, retired }: References,
): Promise<StoredObject[]> {
  const current = library && (await openClosure(objects, { storeId, sha256: library.index_sha256 }));
  const found = new Map<string, number>();
  for (const { index_sha256: sha256 } of distinctRevisions(retired)) {
    const files = await openClosure(objects, { storeId, sha256 });
    for (let place = 0; place < (files?.count ?? 0); place++) {
      if (files && !current?.holdsContentOf(files, place)) found.set(files.sha256(place), files.size(place));
      if (turnIsOver()) await nextTurn();
    }
  }
  const candidates = Array.from(found, ([sha256, size]) => ({ sha256, size }));
  const released = distinctRevisions([...releases, ...proposals]).map(({ index_sha256 }) => index_sha256);
  return (await dropListed(objects, storeId, released, candidates)).left;
}
