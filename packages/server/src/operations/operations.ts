import type { AdministeredNamespace } from '@bindery/contract';
import type { MovedTable } from '../adapters/database/move-to-postgres.ts';
import type { StorageCopy } from '../adapters/objects/copy-storage.ts';
import type { QuotaChange } from '../administration/namespaces.ts';
import type { BackupResult } from '../backup/back-up.ts';
import type { RestoreResult } from '../backup/restore.ts';
import type { VerifyResult } from '../backup/verify.ts';
import { assertDatabasePresent, openPreparedDatabase, requireDatabaseFile } from '../boot/database.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { DatabaseContext } from '../context.ts';
import type { FsckOptions } from '../objects/health/finding.ts';
import { asOwner, dataFolderLayout, makeDataFolder } from '../process/data-folder.ts';
import type { BackupPlace } from './backup.ts';
import type { Diagnosis } from './diagnoses.ts';
import type { GcResult, ServiceCheck } from './maintenance.ts';
import type { SchemaMigration } from './migrate.ts';

/**
 * Runs an operator's command directly on the database, with the service running or not. Throws `StartError` like
 * `startService`, and if the data folder holds no service, unless the command may `create` one.
 */
export async function administer<Result>(
  configuration: Configuration,
  work: (context: DatabaseContext) => Promise<Result>,
  { create = false }: { create?: boolean } = {},
): Promise<Result> {
  return asOwner(configuration.dataDir, async () => {
    if (!create) requireDatabaseFile(configuration);
    else if (configuration.databaseUrl === null) {
      await makeDataFolder(configuration.dataDir);
      await assertDatabasePresent(configuration.dataDir);
    }
    const { databaseFile } = dataFolderLayout(configuration.dataDir);
    const db = await openPreparedDatabase(configuration, databaseFile);
    try {
      return await work({ db, clock: Date.now });
    } finally {
      await db.destroy();
    }
  });
}

/** Limits what a namespace can hold, or only measures it, with the service running or not. */
export async function limitNamespace(
  configuration: Configuration,
  slug: string,
  change: QuotaChange,
): Promise<AdministeredNamespace> {
  const { limitNamespace: run } = await import('./maintenance.ts');
  return asOwner(configuration.dataDir, () => run(configuration, slug, change));
}

/** Migrates the schema of a service, running or not, to the newest; see `migrate-schema.ts`. Throws `StartError`. */
export async function migrateSchema(
  configuration: Configuration,
  options: { dryRun: boolean },
): Promise<SchemaMigration> {
  const { migrateSchema: run } = await import('./migrate.ts');
  return asOwner(configuration.dataDir, () => run(configuration, options));
}

/** Moves the database of a service that is not running from SQLite to an empty PostgreSQL. Throws `StartError`. */
export async function migrateDatabase(configuration: Configuration, to: string): Promise<MovedTable[]> {
  const { migrateDatabase: run } = await import('./migrate.ts');
  return asOwner(configuration.dataDir, () => run(configuration, to));
}

/** Copies the objects of a service to where another configuration would store them. Throws `StartError`. */
export async function migrateStorage(
  configuration: Configuration,
  to: Pick<Configuration, 'dataDir' | 's3'>,
): Promise<StorageCopy> {
  return (await import('./migrate.ts')).migrateStorage(configuration, to);
}

/** Checks the parts of a service, running or not; see `doctor.ts`. */
export async function diagnose(configuration: Configuration): Promise<Diagnosis[]> {
  return (await import('./doctor.ts')).diagnose(configuration);
}

/**
 * Compares what the database names with what is stored and searched, with the service running or not. Throws `StartError` if that is
 * not possible.
 */
export async function fsckService(configuration: Configuration, options: FsckOptions): Promise<ServiceCheck> {
  const { fsckService: run } = await import('./maintenance.ts');
  return asOwner(configuration.dataDir, () => run(configuration, options));
}

/**
 * Deletes objects that nothing names, or only reports what it would delete. Throws `StartError` if that is not
 * possible.
 */
export async function gcService(
  configuration: Configuration,
  options: { dryRun: boolean },
): Promise<GcResult> {
  const { gcService: run } = await import('./maintenance.ts');
  return asOwner(configuration.dataDir, () => run(configuration, options));
}

/**
 * Backs up the service of a configuration, running or not. Throws `StartError` if that is not possible.
 */
export async function backUpService(
  configuration: Configuration,
  place: BackupPlace,
  options: { verify: boolean },
): Promise<BackupResult> {
  return (await import('./backup.ts')).backUpService(configuration, place, options);
}

/** Restores a backup to an empty place where no service is running. Throws `StartError` if that is not possible. */
export async function restoreService(
  configuration: Configuration,
  place: BackupPlace,
): Promise<RestoreResult> {
  return (await import('./backup.ts')).restoreService(configuration, place);
}

/** Reads a complete backup and restores nothing. Throws `StartError` if there is none. */
export async function verifyBackup(place: BackupPlace): Promise<VerifyResult> {
  return (await import('./backup.ts')).verifyBackupAt(place);
}
