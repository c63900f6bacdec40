import type { NamespaceRow } from '../../access/namespaces.ts';
import type { Database } from '../../database/schema.ts';
import { changedMeanwhile } from '../../errors.ts';
import type { FileClosure } from '../../revision/file-closure.ts';
import { type ContentUsage, contentsWithReleases, type MeasuringParts, measureNamespace } from './measure.ts';
import { quotaOf, requireQuota } from './quota.ts';
import { readUsage, recordUsage, sumOf } from './usage.ts';

/** What a store would hold with a new revision and the releases that it had when measured. */
export interface MeasuredRevision extends ContentUsage {
  releaseChanges: number;
}

/** A commit needs a new measurement: the namespace has a quota by now, or other libraries or releases changed. */
class NotMeasured extends Error {
  override readonly name = 'NotMeasured';
}

const ATTEMPTS = 5;

/**
 * Runs a commit that calls `requireRoomForRevision`. If the namespace has a quota, first measures what the revision and
 * the namespace hold, and measures again if that changed before the commit.
 */
export async function withMeasured<Result>(
  context: MeasuringParts,
  { namespace, storeId, files }: { namespace: NamespaceRow; storeId: string; files: FileClosure },
  commit: (measured: MeasuredRevision | null) => Promise<Result>,
): Promise<Result> {
  let hasQuota = quotaOf(namespace) !== null;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const measured = hasQuota ? await measure(context, namespace.id, { storeId, files }) : null;
    try {
      return await commit(measured);
    } catch (error) {
      if (!(error instanceof NotMeasured)) throw error;
      hasQuota = true;
    }
  }
  throw changedMeanwhile();
}

async function measure(
  context: MeasuringParts,
  namespaceId: string,
  store: { storeId: string; files: FileClosure },
): Promise<MeasuredRevision> {
  await measureNamespace(context, namespaceId);
  const names = await context.db
    .selectFrom('library_names')
    .select('release_changes')
    .where('store_id', '=', store.storeId)
    .executeTakeFirst();
  const contents = await contentsWithReleases(context, store);
  return { ...contents, releaseChanges: names?.release_changes ?? 0 };
}

/**
 * Throws `quota_exceeded` if the namespace has no room for the revision; otherwise records what the library holds with
 * it. Part of a commit, which holds the namespace if `measured` is given.
 */
export async function requireRoomForRevision(
  trx: Database,
  namespace: NamespaceRow,
  measured: MeasuredRevision | null,
  { storeId, revision, releaseChanges }: { storeId: string; revision: number; releaseChanges: number },
): Promise<void> {
  const quota = quotaOf(namespace);
  if (quota === null) return;
  if (measured === null || measured.releaseChanges !== releaseChanges) throw new NotMeasured();
  const usage = await readUsage(trx, namespace.id);
  if (usage.unmeasured.length > 0) throw new NotMeasured();
  const others = usage.measured.filter(({ store_id }) => store_id !== storeId);
  requireQuota(namespace.slug, quota, {
    used: sumOf(usage.measured),
    wanted: sumOf([...others, measured]),
  });
  const { files, bytes } = measured;
  await recordUsage(trx, { store_id: storeId, revision, release_changes: releaseChanges, files, bytes });
}
