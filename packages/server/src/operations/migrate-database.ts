import { type MovedTable, moveToPostgres } from '../adapters/database/move-to-postgres.ts';
import { openPostgres } from '../adapters/database/postgres.ts';
import { openPreparedDatabase, requireDatabaseFile } from '../boot/open-database.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { dataFolderLayout, lockDataFolder } from '../process/data-folder.ts';
import { ResourceStack } from '../process/resource-stack.ts';

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
