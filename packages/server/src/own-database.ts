import { existsSync } from 'node:fs';
import { DiskObjectFolder } from './adapters/objects/disk/object-folder.ts';
import { dataFolderLayout } from './service/data-folder.ts';
import { StartError } from './service/start-error.ts';
import { requireRestoredFile } from './service/unfinished-restore.ts';

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
