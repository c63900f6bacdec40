import { createInProcessLocks } from '../adapters/locks/in-process.ts';
import { createRevisionWorkers } from '../adapters/workers/revision-workers.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { MaintenanceContext } from '../context.ts';
import { NO_METRICS } from '../metrics.ts';
import { IndexRepairer } from '../objects/health/repair.ts';
import { RevisionCache } from '../objects/revision-cache.ts';
import { dataFolderLayout } from '../process/data-folder.ts';
import { createLog } from '../process/log.ts';
import type { ResourceStack } from '../process/resource-stack.ts';
import { openPreparedDatabase, requireDataFolder } from './open-database.ts';
import { openStorageAlongside } from './storage-alongside.ts';

/** A day: enough to rebuild an index of any size. */
const REPAIR_TIMEOUT = 86_400_000;

/**
 * Opens what checks and reclaims of a service need, with the service running or not. Throws `StartError` if there is no
 * database.
 */
export async function openMaintenance(
  configuration: Configuration,
  opened: ResourceStack,
): Promise<MaintenanceContext> {
  const { databaseUrl, dataDir } = configuration;
  const { databaseFile } = dataFolderLayout(dataDir);
  requireDataFolder(configuration);
  const db = await openPreparedDatabase(configuration, databaseFile);
  opened.defer(() => db.destroy());
  const log = createLog({ logLevel: 'silent' });
  const objects = await openStorageAlongside(configuration, db, opened);
  const storeLocks =
    databaseUrl === null
      ? createInProcessLocks()
      : (await import('../adapters/locks/postgres.ts')).createPostgresLocks(databaseUrl);
  opened.defer(() => storeLocks.close());
  const revisionWorkers = createRevisionWorkers();
  opened.defer(() => revisionWorkers.close());
  const revisions = new RevisionCache(objects, configuration.indexCacheBytes);
  const repaired = {
    configuration,
    db,
    objects,
    clock: Date.now,
    log,
    metrics: NO_METRICS,
    storeLocks,
    revisionWorkers,
    revisions,
  };
  return { ...repaired, indexRepairer: new IndexRepairer(repaired, { maxWait: REPAIR_TIMEOUT }) };
}
