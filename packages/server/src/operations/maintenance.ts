import { join } from 'node:path';
import { type AdministeredNamespace, DAY } from '@bindery/contract';
import { MACHINE } from '../access/viewer.ts';
import { EvictingFolder } from '../adapters/evicting-folder.ts';
import { createInProcessLocks } from '../adapters/locks/in-process.ts';
import { DiskObjectFolder } from '../adapters/objects/disk/object-folder.ts';
import { createRevisionWorkers } from '../adapters/workers/revision-workers.ts';
import { changeQuota, type QuotaChange } from '../administration/namespaces.ts';
import { actorOf, recordAudit } from '../audit/audit-log.ts';
import { openPreparedDatabase, requireDataFolder } from '../boot/database.ts';
import { openStorageAlongside } from '../boot/storage.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { DatabaseContext, MaintenanceContext } from '../context.ts';
import { StartError } from '../errors.ts';
import { NO_METRICS } from '../metrics.ts';
import type { FsckOptions, FsckReport } from '../objects/health/finding.ts';
import { fsck } from '../objects/health/fsck.ts';
import { IndexRepairer } from '../objects/health/repair.ts';
import { allStores, collectGarbage, makeAllDue } from '../objects/retention/reclaim.ts';
import { emptySurvey, type Survey, surveyStore } from '../objects/retention/survey.ts';
import { RevisionCache } from '../objects/revision-cache.ts';
import type { Reclaimed } from '../objects/store.ts';
import { dataFolderLayout, lockDataFolder } from '../process/data-folder.ts';
import { createLog } from '../process/log.ts';
import { ResourceStack } from '../process/resource-stack.ts';
import { type Diagnosis, diagnoseSearch } from './diagnoses.ts';
import { findInEngine } from './doctor.ts';

/** What a check found: in the store, and in the search engine, if there is one. */
export type ServiceCheck = FsckReport & { search: Diagnosis | null };

/** Composition root of the check: opens the store alongside the service that owns it. */
export async function fsckService(configuration: Configuration, options: FsckOptions): Promise<ServiceCheck> {
  await using opened = new ResourceStack();
  const context = await openMaintenance(configuration, opened);
  const { objects: folder } = dataFolderLayout(configuration.dataDir);
  const stores = configuration.s3 === null ? () => new DiskObjectFolder(folder).stores() : undefined;
  const report = await fsck(context, options, stores);
  const { searchEngine } = configuration;
  const search = searchEngine === null ? null : diagnoseSearch(await findInEngine(searchEngine, context.db));
  return { ...report, search, isSound: report.isSound && (search === null || search.status === 'ok') };
}

/** What a collection would do, has done, or has left to the running service. */
export type GcResult =
  | { state: 'surveyed'; libraries: number; survey: Survey }
  | { state: 'collected'; libraries: number; freed: Reclaimed }
  | { state: 'scheduled'; libraries: number };

/** Composition root of the collection of objects that nothing names. */
export async function gcService(
  configuration: Configuration,
  { dryRun }: { dryRun: boolean },
): Promise<GcResult> {
  await using opened = new ResourceStack();
  const context = await openMaintenance(configuration, opened);
  const stores = await allStores(context);
  const libraries = stores.length;
  if (dryRun) {
    const survey = emptySurvey();
    for (const { store_id } of stores) await surveyStore(context, store_id, survey);
    return { state: 'surveyed', libraries, survey };
  }
  // Only the service that owns a folder knows what is being uploaded to it.
  if (configuration.s3 === null && !(await tryLockDataFolder(configuration, opened))) {
    await makeAllDue(context);
    await recordCollection(context, { libraries });
    return { state: 'scheduled', libraries };
  }
  const derived = (folder: string) => new EvictingFolder(join(configuration.dataDir, folder), 0);
  const freed = await collectGarbage({
    ...context,
    smallThumbnails: derived('thumbnails'),
    conversions: derived('conversions'),
    gitCommits: derived('git'),
    blendFiles: derived('blend-files'),
  });
  await recordCollection(context, { libraries, ...freed });
  return { state: 'collected', libraries, freed };
}

/** Without `objects`, the running service collects them. */
async function recordCollection(
  { db, clock }: DatabaseContext,
  details: { libraries: number } & Partial<Reclaimed>,
): Promise<void> {
  await db
    .transaction()
    .execute((trx) =>
      recordAudit(trx, clock(), actorOf(MACHINE), { action: 'objects.collect', details: { ...details } }),
    );
}

/** Locks the data folder; false if a service is using it. */
async function tryLockDataFolder({ dataDir }: Configuration, opened: ResourceStack): Promise<boolean> {
  try {
    const folder = await lockDataFolder(dataDir);
    opened.defer(() => folder.release());
    return true;
  } catch (error) {
    if (error instanceof StartError) return false;
    throw error;
  }
}

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
  return await changeQuota({ db, clock: Date.now, revisions }, MACHINE, { namespace: slug }, change);
}

/** A day: enough to rebuild an index of any size. */
const REPAIR_TIMEOUT = DAY;

/**
 * Opens what checks and reclaims of a service need, with the service running or not. Throws `StartError` if there is no
 * database.
 */
async function openMaintenance(
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
