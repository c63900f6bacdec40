import { existsSync } from 'node:fs';
import { type MovedTable, moveToPostgres } from '../adapters/database/move-to-postgres.ts';
import { openPostgres } from '../adapters/database/postgres.ts';
import { copyStorage, type StorageCopy } from '../adapters/objects/copy-storage.ts';
import {
  describeDatabase,
  markCopy,
  openForMigrations,
  openPreparedDatabase,
  prepareDatabase,
  requireDatabaseFile,
  requireDataFolder,
  requireRestored,
  withStartErrors,
} from '../boot/database.ts';
import { openStorageAlongside } from '../boot/storage.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { oldestReleaseAfter, pendingMigrations } from '../database/migrate.ts';
import type { OldestRelease } from '../database/schema-change.ts';
import {
  asOwner,
  dataFolderLayout,
  giveToOwner,
  lockDataFolder,
  makeDataFolder,
} from '../process/data-folder.ts';
import { ResourceStack } from '../process/resource-stack.ts';

export interface SchemaMigration {
  /** Names of the migrations that were applied, in order. */
  applied: string[];
  /** Names of those that are still to be applied. */
  pending: string[];
  /** The oldest release that runs on the schema once nothing is pending. */
  runsFrom: OldestRelease;
}

/**
 * Composition root of the migration of a service's schema, with the service running or not; `dryRun` changes nothing.
 */
export async function migrateSchema(
  configuration: Configuration,
  { dryRun }: { dryRun: boolean },
): Promise<SchemaMigration> {
  requireDatabaseFile(configuration);
  const { databaseFile } = dataFolderLayout(configuration.dataDir);
  await requireRestored(configuration, databaseFile);
  const place = describeDatabase(configuration, databaseFile);
  const db = await openForMigrations(configuration, databaseFile);
  try {
    const applied = dryRun ? [] : await prepareDatabase(db, place);
    return await withStartErrors(place, async () => {
      const pending = await pendingMigrations(db);
      return { applied, pending, runsFrom: await oldestReleaseAfter(db, pending) };
    });
  } finally {
    await db.destroy();
  }
}

/** Composition root of the move from SQLite to PostgreSQL; the service must not be running. Throws `StartError`. */
export async function migrateDatabase(configuration: Configuration, to: string): Promise<MovedTable[]> {
  const { databaseFile } = dataFolderLayout(configuration.dataDir);
  requireDatabaseFile({ ...configuration, databaseUrl: null });
  await using opened = new ResourceStack();
  const folder = await lockDataFolder(configuration.dataDir);
  opened.defer(async () => folder.release());
  const source = await openPreparedDatabase({ ...configuration, databaseUrl: null }, databaseFile);
  opened.defer(() => source.destroy());
  const target = openPostgres(to);
  opened.defer(() => target.destroy());
  return await moveToPostgres(source, target);
}

/**
 * Composition root of the copy of objects from where a service stores them to where another configuration would, with
 * the service running or not.
 */
export async function migrateStorage(
  configuration: Configuration,
  { dataDir, s3 }: Pick<Configuration, 'dataDir' | 's3'>,
): Promise<StorageCopy> {
  requireDataFolder(configuration);
  await using opened = new ResourceStack();
  const { db, source } = await asOwner(configuration.dataDir, async () => {
    const { databaseFile } = dataFolderLayout(configuration.dataDir);
    const db = await openPreparedDatabase(configuration, databaseFile);
    opened.defer(() => db.destroy());
    return { db, source: await openStorageAlongside(configuration, db, opened) };
  });
  const isNew = !existsSync(dataDir);
  if (s3 === null) {
    await makeDataFolder(dataDir);
    await markCopy(db, dataFolderLayout(dataDir).objects);
  }
  const target = await openStorageAlongside({ ...configuration, dataDir, s3 }, db, opened);
  const names = await db.selectFrom('library_names').select('store_id').orderBy('store_id').execute();
  const copied = await copyStorage(
    names.map(({ store_id }) => store_id),
    source,
    target,
  );
  if (s3 === null) await giveToOwner(dataDir, isNew ? configuration.dataDir : dataDir);
  return copied;
}
