import type { ObjectAddress } from '../objects/store.ts';
import { readVersion } from '../version.ts';
import {
  forEachObject,
  type LostObject,
  listSizes,
  objectsOf,
  reasonOfLoss,
  verifyObject,
} from './library-objects.ts';
import type { BackupFolder, DatabaseDumper, ObjectFolder, StoredLibrary } from './ports.ts';

/** Maximum number of dumps: the database is dumped again if libraries changed while their objects were being copied. */
const ATTEMPTS = 5;

export interface BackupResult {
  libraries: number;
  objects: number;
  /** What this run copied; the rest was in the folder already. */
  copied: number;
  bytes: number;
  /** What is missing or damaged in the service itself, and therefore in the backup. */
  lost: LostObject[];
}

/**
 * Backs up a running service. Dumps the database first, then copies the objects that the dump names. Objects never
 * change; one that has been deleted by then belonged to a library that was purged or changed, so a newer dump no longer
 * names it. An object that is missing twice in a row is lost.
 */
export async function backUp(
  database: DatabaseDumper,
  objects: ObjectFolder,
  folder: BackupFolder,
  target: ObjectFolder,
  { clock, verify }: CopyOptions & { clock: () => number },
): Promise<BackupResult> {
  await folder.prepare();
  let before: CopyResult | null = null;
  let copied = 0;
  let bytes = 0;
  for (let attempt = 1; ; attempt++) {
    const createdAt = new Date(clock()).toISOString();
    const dump = folder.newDump();
    const libraries = await database.dump(dump.file);
    const result = await copyLibraries(libraries, objects, target, { verify });
    copied += result.copied;
    bytes += result.bytes;
    if (attempt < ATTEMPTS && result.lost.some((object) => !isIn(before, object))) {
      before = result;
      await folder.deleteDump(dump);
      continue;
    }
    await folder.complete(dump, {
      createdAt,
      version: readVersion(),
      format: database.format,
      libraries: libraries.length,
      objects: result.objects,
      contents: libraries,
    });
    await deleteUnreferenced(target, libraries);
    return { libraries: libraries.length, objects: result.objects, copied, bytes, lost: result.lost };
  }
}

function isIn(result: CopyResult | null, { library, sha256 }: LostObject): boolean {
  return result?.lost.some((object) => object.library === library && object.sha256 === sha256) ?? false;
}

interface CopyOptions {
  /**
   * Whether objects that the target has already are read before they are trusted. Objects that no closure names always
   * are.
   */
  verify: boolean;
}

interface CopyResult {
  /** Distinct objects of these libraries. */
  objects: number;
  /** Objects that were not in the target yet, or were damaged there. */
  copied: number;
  bytes: number;
  lost: LostObject[];
}

/** Copies the objects of the libraries, verifying each against the hash that names it. */
export async function copyLibraries(
  libraries: readonly StoredLibrary[],
  from: ObjectFolder,
  to: ObjectFolder,
  { verify }: CopyOptions,
): Promise<CopyResult> {
  const result: CopyResult = { objects: 0, copied: 0, bytes: 0, lost: [] };
  for (const library of libraries) {
    const { address, storeId } = library;
    await to.deleteUnfinished(storeId);
    const there = await listSizes(to, storeId);
    const isThere = async (object: ObjectAddress, size: number | null) => {
      const found = there.get(object.sha256);
      if (found === undefined || (size !== null && size !== found)) return false;
      return !(verify || size === null) || (await verifyObject(to, object)) === 'intact';
    };
    await forEachObject(library, to, async (sha256, size) => {
      const object = { storeId, sha256 };
      result.objects++;
      if (await isThere(object, size)) return;
      const { outcome, bytes } = await copyObject(from, to, object);
      if (outcome !== 'copied') {
        result.lost.push({ library: address, sha256, reason: outcome });
        return;
      }
      result.copied++;
      result.bytes += bytes;
    });
  }
  return result;
}

/**
 * Deletes objects that belong to none of the libraries. Keeps everything of a library if one of its indexes is lost.
 */
async function deleteUnreferenced(folder: ObjectFolder, libraries: readonly StoredLibrary[]): Promise<void> {
  const byStore = new Map(libraries.map((library) => [library.storeId, library]));
  for (const storeId of await folder.stores()) {
    await folder.deleteUnfinished(storeId);
    const library = byStore.get(storeId);
    const kept = library === undefined ? new Map() : await objectsOf(library, folder);
    if (kept === null) continue;
    for await (const { sha256 } of folder.list(storeId)) {
      if (!kept.has(sha256)) await folder.delete({ storeId, sha256 });
    }
  }
}

/** Copies an object; one that cannot be read is lost, but what cannot be written ends the copy. */
async function copyObject(
  from: ObjectFolder,
  to: ObjectFolder,
  object: ObjectAddress,
): Promise<{ outcome: 'copied' | LostObject['reason']; bytes: number }> {
  let bytes = 0;
  let unread: LostObject['reason'] | null = null;
  async function* counted() {
    try {
      for await (const chunk of from.stream(object)) {
        bytes += chunk.length;
        yield chunk;
      }
    } catch (error) {
      unread = reasonOfLoss(error);
      throw error;
    }
  }
  try {
    return { outcome: (await to.put(object, counted())) ? 'copied' : 'damaged', bytes };
  } catch (error) {
    if (unread !== null) return { outcome: unread, bytes: 0 };
    throw error;
  }
}
