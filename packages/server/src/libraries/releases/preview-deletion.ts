import type { RevisionRow } from '../../access/libraries.ts';
import type { MaintenanceContext } from '../../context.ts';
import { notFound } from '../../errors.ts';
import { openRevision } from '../../objects/open-revision.ts';
import { releasedRows } from '../../objects/released-rows.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { FileClosure } from '../../revision/file-closure.ts';

/** What the deletion of a release frees once the grace period is over; sizes in bytes. */
export interface DeletionPreview {
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
  const others = [library, ...releases.filter((row) => row !== release)];
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
  for (const other of new Map(others.map((row) => [row.index_sha256, row])).values()) {
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

/** The objects of a revision that its closure does not list. */
function documentsOf(row: RevisionRow): string[] {
  const { manifest_sha256, index_sha256, codes_sha256, artifacts_sha256 } = row;
  return [manifest_sha256, index_sha256, codes_sha256, artifacts_sha256].filter((sha256) => sha256 !== null);
}
