import type { AdministeredNamespace } from '@bindery/contract';
import { type QuotaChange, setQuota } from './administration/quotas.ts';
import type { Configuration } from './configuration.ts';
import { RevisionCache } from './objects/revision-cache.ts';
import { openPreparedDatabase, requireDataFolder } from './open-database.ts';
import { dataFolderLayout } from './service/data-folder.ts';
import { ResourceStack } from './service/resource-stack.ts';
import { openStorageAlongside } from './storage-alongside.ts';

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
