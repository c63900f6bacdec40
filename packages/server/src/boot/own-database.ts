import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { requireRestoredFile } from '../adapters/database/unfinished-restore.ts';
import { markFile, readMark, writeMark } from '../adapters/objects/disk/mark.ts';
import { DiskObjectFolder } from '../adapters/objects/disk/object-folder.ts';
import type { Database } from '../database/schema.ts';
import { getOrCreateSetting, readSetting } from '../database/settings.ts';
import { dataFolderLayout } from '../process/data-folder.ts';
import { StartError } from '../process/start-error.ts';

/** Throws `StartError` if a data folder's database is being restored, or is missing although its objects are there. */
export async function requireDatabaseOfObjects(dataDir: string): Promise<void> {
  const { path, databaseFile, objects } = dataFolderLayout(dataDir);
  requireRestoredFile(databaseFile);
  if (existsSync(databaseFile) || (await new DiskObjectFolder(objects).stores()).length === 0) return;
  throw new StartError(
    `The data folder ${path} holds files of libraries, but its database is missing. Put ${databaseFile} back, or ` +
      'restore a backup with "bindery admin restore".',
  );
}

/** The setting that holds the id in the mark of the folder of objects. */
const MARK = 'store_id';

/**
 * Returns the id in the mark of a folder of objects. Throws `StartError` if the folder is not that of the database,
 * which is so where its disk is not mounted. `markNew` marks the folder of a database that does not know a mark;
 * otherwise null is returned for one.
 */
export async function requireObjectsOfDatabase(
  db: Database,
  folder: string,
  { markNew }: { markNew: boolean },
): Promise<string | null> {
  const known = await readSetting(db, MARK);
  const found = await readMark(folder);
  if (known === null) {
    if (!markNew) return null;
    // The folder first: a database whose folder has no mark could not be used.
    if (found === null) await writeMark(folder, randomUUID());
    await getOrCreateSetting(db, MARK, async () => String(await readMark(folder)));
    return requireObjectsOfDatabase(db, folder, { markNew: false });
  }
  if (known === found) return found;
  const file = markFile(folder);
  throw new StartError(
    found === null
      ? `The folder ${folder} is not the one that this database stores its files in: ${file} is missing. Mount the disk that holds it, or ` +
          `correct BINDERY_DATA_DIR. If its files are lost, write ${known} to ${file} to start without them, or restore a backup.`
      : `The folder ${folder} belongs to another database: ${file} should contain ${known}. Correct BINDERY_DATA_DIR or BINDERY_DATABASE_URL.`,
  );
}

/** Marks a folder that objects of a database are copied to. Throws `StartError` if it is that of another database. */
export async function markCopy(db: Database, folder: string): Promise<void> {
  const known = await readSetting(db, MARK);
  if (known === null) return;
  if ((await readMark(folder)) === null) await writeMark(folder, known);
  await requireObjectsOfDatabase(db, folder, { markNew: false });
}
