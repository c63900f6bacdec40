import type { AdministeredNamespace } from '@bindery/contract';
import { DiskBackupFolder } from './adapters/backup/disk-backup-folder.ts';
import type { MovedTable } from './adapters/database/move-to-postgres.ts';
import type { StorageCopy } from './adapters/objects/copy-storage.ts';
import { DiskObjectFolder } from './adapters/objects/disk/object-folder.ts';
import type { Diagnosis } from './administration/diagnoses.ts';
import type { QuotaChange } from './administration/quotas.ts';
import { type BackupResult, backUp } from './backup/back-up.ts';
import { type RestoreResult, restore } from './backup/restore.ts';
import type { Configuration } from './configuration.ts';
import type { FsckOptions, FsckReport } from './libraries/integrity/fsck/finding.ts';
import { openPreparedDatabase } from './open-database.ts';
import type { Parts } from './parts.ts';
import { dataFolderLayout, makeDataFolder, takeDataFolder } from './service/data-folder.ts';
import { StartError } from './service/start-error.ts';

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

/** Bounds what a namespace may hold, or only measures it, with the service running or not. */
export async function limitNamespace(
  configuration: Configuration,
  slug: string,
  change: QuotaChange,
): Promise<AdministeredNamespace> {
  return (await import('./quota-service.ts')).limitNamespace(configuration, slug, change);
}

/** Moves the database of a service that does not run from SQLite to an empty PostgreSQL. Throws `StartError`. */
export async function migrateDatabase(configuration: Configuration, to: string): Promise<MovedTable[]> {
  return (await import('./migrate-database.ts')).migrateDatabase(configuration, to);
}

/** Copies the objects of a service to where another configuration would have them. Throws `StartError`. */
export async function migrateStorage(
  configuration: Configuration,
  to: Pick<Configuration, 'dataDir' | 's3'>,
): Promise<StorageCopy> {
  return (await import('./migrate-storage.ts')).migrateStorage(configuration, to);
}

/** Looks at the parts of a service, running or not; see `doctor.ts`. */
export async function diagnose(configuration: Configuration): Promise<Diagnosis[]> {
  return (await import('./doctor.ts')).diagnose(configuration);
}

/**
 * Compares what the database names with what is stored, with the service running or not. Throws `StartError` if that is
 * not possible.
 */
export async function fsckService(configuration: Configuration, options: FsckOptions): Promise<FsckReport> {
  return (await import('./fsck-service.ts')).fsckService(configuration, options);
}

/**
 * Backs up the service of a configuration, running or not, into a folder. Throws `StartError` if that is not
 * possible.
 */
export async function backUpService(configuration: Configuration, path: string): Promise<BackupResult> {
  const { databaseUrl, dataDir } = configuration;
  requireFolder(configuration);
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
  requireFolder(configuration);
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

/** A bucket is backed up by what its service has for that; a backup of the database alone would look like a whole one. */
function requireFolder({ s3 }: Configuration): void {
  if (s3 === null) return;
  throw new StartError(
    'The objects are in a bucket (BINDERY_OBJECTS), and this backs up a data folder. Use versions or replication of the ' +
      'bucket, and a dump of the database that is older than the copy of the bucket.',
  );
}
