import { join } from 'node:path';
import { DiskThumbnails } from '../adapters/thumbnails/disk-cache.ts';
import { MACHINE } from '../audit/actor.ts';
import { recordAudit } from '../audit/record.ts';
import { openMaintenance } from '../boot/maintenance-context.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { DatabaseContext } from '../context.ts';
import { allStores, collectGarbage, makeAllDue } from '../objects/retention/reclaim.ts';
import { emptySurvey, type Survey, surveyStore } from '../objects/retention/survey.ts';
import type { Reclaimed } from '../objects/store.ts';
import { lockDataFolder } from '../process/data-folder.ts';
import { ResourceStack } from '../process/resource-stack.ts';
import { StartError } from '../process/start-error.ts';

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
  const smallThumbnails = new DiskThumbnails({
    folder: join(configuration.dataDir, 'thumbnails'),
    maxBytes: 0,
    log: context.log,
  });
  const freed = await collectGarbage({ ...context, smallThumbnails });
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
      recordAudit(trx, clock(), MACHINE, { action: 'objects.collect', details: { ...details } }),
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
