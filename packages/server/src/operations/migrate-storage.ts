import { existsSync } from 'node:fs';
import { copyStorage, type StorageCopy } from '../adapters/objects/copy-storage.ts';
import { openPreparedDatabase, requireDataFolder } from '../boot/open-database.ts';
import { markCopy } from '../boot/own-database.ts';
import { openStorageAlongside } from '../boot/storage-alongside.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { dataFolderLayout, makeDataFolder } from '../process/data-folder.ts';
import { asOwner, giveToOwner } from '../process/folder-owner.ts';
import { ResourceStack } from '../process/resource-stack.ts';

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
