import type { AdministeredNamespace } from '@bindery/contract';
import { type QuotaChange, setQuota } from '../administration/quotas.ts';
import { openPreparedDatabase, requireDataFolder } from '../boot/open-database.ts';
import { openStorageAlongside } from '../boot/storage-alongside.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { RevisionCache } from '../objects/revision-cache.ts';
import { dataFolderLayout } from '../process/data-folder.ts';
import { ResourceStack } from '../process/resource-stack.ts';

/** Composition root of quotas: measures usage in the store, alongside the service that owns it. */
export async function limitNamespace(
  configuration: Configuration,
  slug: string,
  change: QuotaChange,
): Promise<AdministeredNamespace> {
  requireDataFolder(configuration);
  await using opened = new ResourceStack();
  const db = await openPreparedDatabase(configuration, dataFolderLayout(configuration.dataDir).databaseFile);
  opened.defer(() => db.destroy());
  const objects = await openStorageAlongside(configuration, db, opened);
  const revisions = new RevisionCache(objects, configuration.indexCacheBytes);
  return await setQuota({ db, clock: Date.now, revisions }, slug, change);
}
