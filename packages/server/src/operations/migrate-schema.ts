import {
  describeDatabase,
  openForMigrations,
  requireDatabaseFile,
  requireRestored,
} from '../boot/open-database.ts';
import { prepareDatabase, withStartErrors } from '../boot/prepare-database.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { oldestReleaseAfter, pendingMigrations } from '../database/migrate.ts';
import type { OldestRelease } from '../database/schema-change.ts';
import { dataFolderLayout } from '../process/data-folder.ts';

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
