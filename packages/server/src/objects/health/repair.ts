import { withTimeout } from '@bindery/concurrency';
import { findRevision, type IndexedRow, type RevisionRow, revisionColumns } from '../../access/libraries.ts';
import type { Context, MaintenanceContext } from '../../context.ts';
import { changedMeanwhile, contentLost, notFound, type ServiceError, unavailable } from '../../errors.ts';
import { RevisionIndex, servesRelevance } from '../../revision/revision-index.ts';
import { unlessLost } from '../damaged.ts';
import { countReleaseChange, lockStore } from '../library-store.ts';
import { makeManifest } from '../made-manifest.ts';
import { atRetired, retiredRevisions } from '../references.ts';
import { deletingIfPurged, finishDeletions } from '../retention/delete.ts';
import { unmarkPending } from '../retention/doomed-objects.ts';
import { markForReclaim } from '../retention/retire.ts';
import type { IndexRepair } from './ports.ts';

/** Everything but the repairer itself. */
type RepairContext = Omit<MaintenanceContext, 'indexRepairer'>;

/** How long a request waits for a rebuild, in milliseconds. A rebuild that takes longer serves later requests. */
const MAX_WAIT = 20_000;

/** How long a failure is remembered before the next attempt, in milliseconds. */
const FAILURE_LIFETIME = 10_000;

/** Seconds after which a client may retry. */
const RETRY_AFTER = 5;

/** Whether an index that is not damaged can stay as it is. */
type IsGood = (bytes: Uint8Array) => boolean;

/**
 * Rebuilds damaged or missing indexes. An index is derived from the manifest, so nothing is lost with it. Concurrent
 * requests share a rebuild.
 */
export class IndexRepairer implements IndexRepair {
  readonly #context: MaintenanceContext;
  readonly #maxWait: number;
  /** Rebuilds that are running, and for a while those that failed. */
  readonly #inFlight = new Map<string, Promise<RevisionRow>>();

  constructor(context: RepairContext, { maxWait = MAX_WAIT }: { maxWait?: number } = {}) {
    this.#context = { ...context, indexRepairer: this };
    this.#maxWait = maxWait;
  }

  repair(row: IndexedRow): Promise<RevisionRow> {
    return this.#rebuilt(row, () => true);
  }

  upgrade(row: RevisionRow): Promise<RevisionRow> {
    return this.#rebuilt(row, (bytes) => servesRelevance(RevisionIndex.open(bytes)));
  }

  async #rebuilt(row: IndexedRow, isGood: IsGood): Promise<RevisionRow> {
    const { id, release, index_sha256 } = row;
    const key = JSON.stringify([id, release, index_sha256]);
    return withTimeout(
      this.#inFlight.get(key) ?? this.#start(key, row, isGood),
      this.#maxWait,
      rebuildTimeout,
    );
  }

  #start(key: string, library: IndexedRow, isGood: IsGood): Promise<RevisionRow> {
    const rebuilt = this.#rebuildAlone(library, isGood).then((row) => {
      // Requests that wait for the rebuild must not share a load that began before it and has read the damage.
      this.#context.revisions.evict({ storeId: row.store_id, sha256: row.index_sha256 });
      return row;
    });
    this.#inFlight.set(key, rebuilt);
    const end = () => this.#inFlight.delete(key);
    rebuilt.then(end, () => setTimeout(end, FAILURE_LIFETIME).unref());
    return rebuilt;
  }

  /** Holds the store, so that no register replaces the library and no reclaim deletes the new index as unreferenced. */
  async #rebuildAlone(damaged: IndexedRow, isGood: IsGood): Promise<RevisionRow> {
    const { db, objects, storeLocks } = this.#context;
    const { index_sha256: indexSha256 } = damaged;
    const { store_id } = await findRow(db, damaged);
    const rebuild = async () => {
      const row = await findRow(db, damaged);
      if (row.index_sha256 !== indexSha256) return row;
      if (row.differences !== undefined) return rebuildIndex(this.#context, row);
      // Another request or process may have repaired it in the meantime.
      const bytes = await unlessLost(objects.read({ storeId: store_id, sha256: indexSha256 }));
      if (bytes === null) return repairIndex(this.#context, row);
      return isGood(bytes) ? row : rebuildIndex(this.#context, row);
    };
    return storeLocks.withLock(store_id, () => deletingIfPurged(this.#context, store_id, rebuild));
  }
}

/**
 * Rebuilds and stores the damaged or missing index of a library whose store the caller holds. Returns the row with the
 * new index.
 */
export async function repairIndex(context: MaintenanceContext, row: RevisionRow): Promise<RevisionRow> {
  const { log, metrics } = context;
  const { store_id: storeId, name, revision, index_sha256 } = row;
  log.error({ storeId, library: name, revision }, 'the index of a library is damaged or missing');
  metrics.damageFound('index');
  const rebuilt = await rebuildIndex(context, row);
  const same = rebuilt.index_sha256 === index_sha256;
  log.warn({ storeId, library: name, revision, same }, 'the index of a library was rebuilt');
  metrics.damageRepaired('index');
  return rebuilt;
}

async function rebuildIndex(context: MaintenanceContext, row: RevisionRow): Promise<RevisionRow> {
  const { db, objects, revisionWorkers, log } = context;
  const { store_id: storeId, name, revision, index_sha256, manifest_sha256, artifacts_sha256 } = row;
  const { deletions } = await finishDeletions(context, storeId);
  await makeManifest(context, row);
  const file = (sha256: string) => objects.localFile({ storeId, sha256 });
  const named = async (sha256: string) => ({ sha256, file: await file(sha256) });
  const outcome = await revisionWorkers.rebuild({
    manifest: {
      ...(await named(manifest_sha256)),
      size: row.manifest_size,
      layout: row.manifest_layout,
    },
    artifactList: artifacts_sha256 === null ? null : await named(artifacts_sha256),
    damagedIndexFile: await file(index_sha256),
  });
  if (outcome.kind === 'damaged') throw manifestLost(context, row);

  await markForReclaim(context, storeId);
  const { sha256 } = await objects.write(storeId, outcome.index);
  await db.transaction().execute(async (trx) => {
    const store = await lockStore(trx, storeId);
    if (store?.deletions !== deletions) throw changedMeanwhile();
    await unmarkPending(trx, storeId, (candidate) => candidate === sha256);
    // Revisions with the same index consist of the same files, so the new index replaces it in all of them.
    for (const table of ['libraries', 'releases', 'proposals', 'retired_revisions'] as const) {
      await trx
        .updateTable(table)
        .set({ index_sha256: sha256 })
        .where('store_id', '=', storeId)
        .where('index_sha256', '=', index_sha256)
        .execute();
    }
    if (row.differences !== undefined) {
      await trx
        .updateTable('retired_revisions')
        .set({ described: JSON.stringify(revisionColumns({ ...row, index_sha256: sha256 })) })
        .where('store_id', '=', storeId)
        .where('revision', '=', revision)
        .execute();
    }
    await countReleaseChange(trx, storeId);
  });
  const { paths, total } = outcome.missingArtifacts;
  if (total > 0) {
    log.error(
      { storeId, library: name, revision, paths, total },
      'platform artifacts were lost with the index of a library',
    );
  }
  return { ...row, index_sha256: sha256 };
}

function manifestLost(
  { log, metrics }: MaintenanceContext,
  { store_id, name, revision }: RevisionRow,
): ServiceError {
  log.error(
    { storeId: store_id, library: name, revision },
    'the manifest of a library is damaged or missing',
  );
  metrics.damageFound('manifest');
  return contentLost('the manifest of this library');
}

async function findRow(
  db: Context['db'],
  { isRetired, store_id, ...row }: Omit<IndexedRow, 'index_sha256'>,
): Promise<RevisionRow> {
  const found = await findRevision(db, row);
  if (found === null) throw notFound();
  if (!isRetired) return found;
  const retired = await retiredRevisions(db, store_id)
    .where('revision', '=', row.revision)
    .executeTakeFirst();
  if (retired === undefined) throw notFound();
  return atRetired(found, retired);
}

function rebuildTimeout(): never {
  throw unavailable('The index of this library is being rebuilt. Try again.', RETRY_AFTER);
}
