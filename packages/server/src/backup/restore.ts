import type { Database } from '../database/schema.ts';
import { clearDamaged, damagedObjects } from '../libraries/integrity/damaged-objects.ts';
import { StartError } from '../service/start-error.ts';
import { copyLibraries } from './copy-libraries.ts';
import type { LostObject } from './object-checks.ts';
import type { BackupFolder, DatabaseRestorer, ObjectFolder } from './ports.ts';
import { type StoredLibrary, storedLibraries } from './stored-library.ts';
import { missingFrom } from './verify.ts';

export interface RestoreResult {
  /** When the backup was made. */
  createdAt: string;
  libraries: number;
  objects: number;
  bytes: number;
  /** Objects that are missing or damaged in the backup, or missing from where they were restored to. */
  lost: LostObject[];
}

/**
 * Restores a backup: first the database, which must be empty and not in use by a server, then every object, verified.
 * Finally checks that every object is there. `open` opens the restored database at the newest schema.
 */
export async function restore(
  folder: BackupFolder,
  source: ObjectFolder,
  database: DatabaseRestorer,
  objects: ObjectFolder,
  open: () => Promise<Database>,
): Promise<RestoreResult> {
  const backup = await folder.describe();
  if (backup.database.format !== database.format) {
    throw new StartError(
      `The backup is of ${NAMES[backup.database.format]}, but the settings select ${NAMES[database.format]}; see BINDERY_DATABASE_URL.`,
    );
  }
  await database.requireEmpty();
  await database.restore(await folder.dumpOf(backup));
  const db = await open();
  try {
    await beginEpoch(db);
    const libraries = await storedLibraries(db);
    const copy = await copyLibraries(libraries, source, objects, { verify: true });
    const known = new Set(copy.lost.map(({ library, sha256 }) => `${library} ${sha256}`));
    const gone = await missingFrom(objects, libraries);
    const lost = [...copy.lost, ...gone.filter(({ library, sha256 }) => !known.has(`${library} ${sha256}`))];
    await forgetRepairedDamage(db, libraries, lost);
    return {
      createdAt: backup.createdAt,
      libraries: libraries.length,
      objects: copy.objects,
      bytes: copy.bytes,
      lost,
    };
  } finally {
    await db.destroy();
  }
}

const NAMES = { sqlite: 'the embedded database', postgresql: 'PostgreSQL' } as const;

/** More revisions than any library gets between a backup and the data loss that it is restored after. */
const EPOCH = 1_000_000;

/**
 * Revision numbers, uploads and retired revisions from after the backup are lost, but clients might remember them. So
 * revisions continue with numbers that were never used, and everything that was in progress is forgotten.
 */
async function beginEpoch(db: Database): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx
      .updateTable('library_names')
      .set((eb) => ({ last_revision: eb('last_revision', '+', EPOCH), reclaim_due_at: null }))
      .execute();
    await trx
      .updateTable('libraries')
      .set((eb) => ({ revision: eb('revision', '+', EPOCH), changes: eb('changes', '+', EPOCH) }))
      .execute();
    for (const table of [
      'upload_receipts',
      'multipart_uploads',
      'direct_uploads',
      'unregistered_bytes',
      'retired_revisions',
      'dead_stores',
      'doomed_objects',
    ] as const) {
      await trx.deleteFrom(table).execute();
    }
  });
}

/** Deletes the damage records of objects that the backup has brought back intact. */
async function forgetRepairedDamage(
  db: Database,
  libraries: readonly StoredLibrary[],
  lost: readonly LostObject[],
): Promise<void> {
  const byLibrary = Map.groupBy(lost, ({ library }) => library);
  for (const { address, storeId } of libraries) {
    const gone = new Set(byLibrary.get(address)?.map(({ sha256 }) => sha256));
    const repaired = (await damagedObjects(db, storeId)).difference(gone);
    await clearDamaged({ db }, storeId, [...repaired]);
  }
}
