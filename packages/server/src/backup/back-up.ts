import { readVersion } from '../version.ts';
import { type CopyOptions, type CopyResult, copyLibraries, deleteUnreferenced } from './copy-libraries.ts';
import type { LostObject } from './object-checks.ts';
import type { BackupFolder, DatabaseDumper, ObjectFolder } from './ports.ts';

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
