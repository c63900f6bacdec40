import { StartError } from '../errors.ts';
import { forEachObject, type LostObject, listSizes, verifyObject } from './library-objects.ts';
import type { BackupFolder, ObjectFolder, StoredLibrary } from './ports.ts';

export interface VerifyResult {
  /** When the backup was made. */
  createdAt: string;
  libraries: number;
  objects: number;
  bytes: number;
  /** What is missing or damaged in the backup. */
  lost: LostObject[];
}

/**
 * Reads a complete backup, including the dump of its database, and restores nothing. Throws `StartError` if there is no
 * complete backup.
 */
export async function verifyBackup(folder: BackupFolder, objects: ObjectFolder): Promise<VerifyResult> {
  const backup = await folder.describe();
  await folder.dumpOf(backup);
  if (backup.contents === null) {
    throw new StartError(
      `The backup is by Bindery ${backup.version}, which did not record its contents. Back up again to the same place.`,
    );
  }
  const { createdAt, contents } = backup;
  const result: VerifyResult = { createdAt, libraries: contents.length, objects: 0, bytes: 0, lost: [] };
  for (const library of contents) {
    const { address, storeId } = library;
    const there = await listSizes(objects, storeId);
    await forEachObject(library, objects, async (sha256) => {
      const size = there.get(sha256);
      const found = size === undefined ? 'missing' : await verifyObject(objects, { storeId, sha256 });
      result.objects++;
      if (found === 'intact') result.bytes += size ?? 0;
      else result.lost.push({ library: address, sha256, reason: found });
    });
  }
  return result;
}

/**
 * Returns the objects of the libraries that are missing from a folder or have the wrong size. Reads only their indexes.
 */
export async function missingFrom(
  objects: ObjectFolder,
  libraries: readonly StoredLibrary[],
): Promise<LostObject[]> {
  const missing: LostObject[] = [];
  for (const library of libraries) {
    const there = await listSizes(objects, library.storeId);
    await forEachObject(library, objects, async (sha256, size) => {
      const found = there.get(sha256);
      const isThere = found !== undefined && (size === null || size === found);
      if (!isThere) missing.push({ library: library.address, sha256, reason: 'missing' });
    });
  }
  return missing;
}
