import type { Database } from '../database/schema.ts';
import { StartError } from '../errors.ts';
import { clearDamaged, damagedObjects } from '../objects/health/damage.ts';
import { copyLibraries } from './back-up.ts';
import { type LostObject, storedLibraries } from './library-objects.ts';
import type {
  BackupDescription,
  BackupFolder,
  DatabaseRestorer,
  DumpFormat,
  ObjectFolder,
  StoredLibrary,
} from './ports.ts';
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
 * Restores a backup into an empty database that no server uses: the database where no service finds it, then every object,
 * verified, and only then the database becomes that of the service. So a restore that was interrupted can be repeated,
 * and no service starts on half of one. `open` opens the restored database at the newest schema.
 */
export async function restore(
  folder: BackupFolder,
  source: ObjectFolder,
  database: DatabaseRestorer,
  objects: ObjectFolder,
  open: (location: string) => Promise<Database>,
): Promise<RestoreResult> {
  const backup = await folder.describe();
  requireFormat(backup.database.format, database.format);
  try {
    await database.prepare();
    return await restoreAlone(backup, folder, source, database, objects, open);
  } finally {
    await database.release();
  }
}

async function restoreAlone(
  backup: BackupDescription,
  folder: BackupFolder,
  source: ObjectFolder,
  database: DatabaseRestorer,
  objects: ObjectFolder,
  open: (location: string) => Promise<Database>,
): Promise<RestoreResult> {
  const db = await open(await database.restore(await folder.dumpOf(backup)));
  let result: RestoreResult;
  try {
    const libraries = await storedLibraries(db);
    const copy = await copyLibraries(libraries, source, objects, { verify: true });
    const known = new Set(copy.lost.map(({ library, sha256 }) => `${library} ${sha256}`));
    const gone = await missingFrom(objects, libraries);
    const lost = [...copy.lost, ...gone.filter(({ library, sha256 }) => !known.has(`${library} ${sha256}`))];
    await db.transaction().execute(async (trx) => {
      await beginEpoch(trx);
      await forgetRepairedDamage(trx, libraries, lost);
      await database.finish(trx);
    });
    const { createdAt } = backup;
    result = { createdAt, libraries: libraries.length, objects: copy.objects, bytes: copy.bytes, lost };
  } finally {
    await db.destroy();
  }
  await database.publish();
  return result;
}

function requireFormat(backup: DumpFormat, configured: DumpFormat): void {
  if (backup === configured) return;
  throw new StartError(
    `The backup is of ${NAMES[backup]}, but the settings select ${NAMES[configured]}; see BINDERY_DATABASE_URL.`,
  );
}

const NAMES = { sqlite: 'the embedded database', postgresql: 'PostgreSQL' } as const;

/** More revisions than any library gets between a backup and the data loss that it is restored after. */
const EPOCH = 1_000_000;

/**
 * Revision numbers, uploads and retired revisions from after the backup are lost, but clients might remember them. So
 * revisions continue with numbers that were never used, and everything that was in progress is forgotten.
 */
async function beginEpoch(trx: Database): Promise<void> {
  await trx
    .updateTable('library_names')
    .set((eb) => ({
      last_revision: eb('last_revision', '+', EPOCH),
      ...{ reclaim_due_at: null, unregistered_files: 0, unregistered_bytes: 0 },
    }))
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
}

/** Deletes the damage records of objects that the backup has brought back intact. */
async function forgetRepairedDamage(
  trx: Database,
  libraries: readonly StoredLibrary[],
  lost: readonly LostObject[],
): Promise<void> {
  const byLibrary = Map.groupBy(lost, ({ library }) => library);
  for (const { address, storeId } of libraries) {
    const gone = new Set(byLibrary.get(address)?.map(({ sha256 }) => sha256));
    const repaired = (await damagedObjects(trx, storeId)).difference(gone);
    await clearDamaged(trx, storeId, [...repaired]);
  }
}
