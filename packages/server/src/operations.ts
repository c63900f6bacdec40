import { DiskBackupFolder } from './adapters/backup/disk-backup-folder.ts';
import { DiskObjectFolder } from './adapters/objects/disk/object-folder.ts';
import { type BackupResult, backUp } from './backup/back-up.ts';
import { type RestoreResult, restore } from './backup/restore.ts';
import type { Configuration } from './configuration.ts';
import { openPreparedDatabase } from './open-database.ts';
import type { Parts } from './parts.ts';
import { dataFolderLayout, makeDataFolder, takeDataFolder } from './service/data-folder.ts';

/**
 * The operator's door: works on the database itself, with the service running or not. Throws `StartError` as
 * `startService` does.
 */
export async function administer<Result>(
  configuration: Configuration,
  work: (parts: Pick<Parts, 'db' | 'clock'>) => Promise<Result>,
): Promise<Result> {
  if (configuration.databaseUrl === null) await makeDataFolder(configuration.dataDir);
  const { databaseFile } = dataFolderLayout(configuration.dataDir);
  const db = await openPreparedDatabase(configuration, databaseFile);
  try {
    return await work({ db, clock: Date.now });
  } finally {
    await db.destroy();
  }
}

/**
 * Backs up the service of a configuration, running or not, into a folder. Throws `StartError` if that is not
 * possible.
 */
export async function backUpService(configuration: Configuration, path: string): Promise<BackupResult> {
  const { databaseUrl, dataDir } = configuration;
  const { databaseFile, objects } = dataFolderLayout(dataDir);
  const database =
    databaseUrl === null
      ? (await import('./adapters/database/dump-sqlite.ts')).dumpOfSqlite(databaseFile)
      : (await import('./adapters/database/dump-postgres.ts')).dumpOfPostgres(databaseUrl);
  const folder = new DiskBackupFolder(path);
  return backUp(database, new DiskObjectFolder(objects), folder, new DiskObjectFolder(folder.path), Date.now);
}

/**
 * Restores a backup into an empty place where no service runs. Throws `StartError` if that is not possible.
 */
export async function restoreService(configuration: Configuration, path: string): Promise<RestoreResult> {
  const { databaseUrl } = configuration;
  const folder = new DiskBackupFolder(path);
  const dataFolder = await takeDataFolder(configuration.dataDir);
  try {
    const database =
      databaseUrl === null
        ? (await import('./adapters/database/dump-sqlite.ts')).restoreOfSqlite(dataFolder.databaseFile)
        : (await import('./adapters/database/dump-postgres.ts')).restoreOfPostgres(databaseUrl);
    return await restore(
      folder,
      new DiskObjectFolder(folder.path),
      database,
      new DiskObjectFolder(dataFolder.objects),
      () => openPreparedDatabase(configuration, dataFolder.databaseFile),
    );
  } finally {
    dataFolder.release();
  }
}
