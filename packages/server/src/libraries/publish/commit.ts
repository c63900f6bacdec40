import { randomUUID } from 'node:crypto';
import { DEFAULT_LIBRARY_TYPE, LIMITS, type Visibility } from '@bindery/contract';
import type { Insertable } from 'kysely';
import type { LibraryRow } from '../../access/libraries.ts';
import { lockNamespace } from '../../access/lock-rights.ts';
import type { NamespaceRow } from '../../access/namespaces.ts';
import { type AuditActor, recordAudit } from '../../audit/audit-log.ts';
import type { MaintenanceContext } from '../../context.ts';
import type { Database } from '../../database/schema.ts';
import type { LibrariesTable } from '../../database/tables/libraries.ts';
import { changedMeanwhile, libraryInTrash, ServiceError } from '../../errors.ts';
import { unmarkPending } from '../../objects/retention/doomed-objects.ts';
import { afterGrace, marked, retire } from '../../objects/retention/retire.ts';
import { settleUnregistered } from '../../objects/unregistered.ts';
import { queueForSearch } from '../../outbox/queue-event.ts';
import { type ShareOption, shareTokenAfter } from '../lifecycle/patch.ts';
import { type MeasuredRevision, requireRoomForRevision } from '../quotas/room.ts';
import type { ManifestSource } from './build.ts';
import type { RevisionVectors } from './read-sidecar.ts';
import type { BuiltRevision } from './revision-workers.ts';

/** A revision whose every byte is stored, ready to be published. */
export interface PreparedRevision {
  namespace: { id: string; slug: string };
  name: string;
  storeId: string;
  manifest: ManifestSource;
  indexSha256: string;
  /** The object with the list of platform artifacts; null if there are none. */
  artifactsSha256: string | null;
  /** The object with what makes the previous revision of this one; null if that is kept whole. */
  differencesSha256: string | null;
  built: Pick<BuiltRevision, 'library' | 'aggregates' | 'assetChanges' | 'cover' | 'thumbnails'>;
  /** The account that registers. */
  registeredBy: string;
  vectors: RevisionVectors;
  /** The number of the last upload that the register can have seen. */
  uploadsSettled: number;
  /** The asset that was the chosen cover when the revision was built. */
  coverAsset: string | null;
  /** The state that the revision was prepared on. The commit fails if it has changed. */
  basis: Basis;
  /** Whether the object with this hash is part of the revision. */
  refersTo(sha256: string): boolean;
}

interface Basis {
  /** The library's revision; 0 without a library. */
  revision: number;
  /** How many batches of objects of the store others had deleted or begun to delete. */
  deletions: number;
}

interface RegisterOptions {
  expectedRevision?: number | undefined;
  visibility?: Visibility | undefined;
  share?: ShareOption;
  /** The number of the earlier revision whose content this one has again. */
  restored?: number;
  alsoCommit?: (trx: Database, registered: LibraryRow) => Promise<void>;
}

/**
 * Throws if the change is no longer permitted, else returns the namespace as it is now. The rows that permit the change
 * stay locked until the transaction ends.
 */
type PermitChange = (trx: Database) => Promise<{ namespace: NamespaceRow }>;

/** Who registers. */
export interface Committer {
  actor: AuditActor;
  permit: PermitChange;
}

/**
 * Makes the prepared revision the current one of its library, and retires the one before. Throws `revision_conflict` or
 * `library_in_trash` if another change came first, `unavailable` if the basis has changed, and `quota_exceeded`; then
 * nothing changes. Run through `withMeasured`.
 */
export async function commitRevision(
  { db, clock, configuration }: MaintenanceContext,
  prepared: PreparedRevision,
  options: RegisterOptions,
  { actor, permit }: Committer,
  measured: MeasuredRevision | null,
): Promise<{ row: LibraryRow; created: boolean }> {
  const now = clock();
  return db.transaction().execute(async (trx) => {
    // Registers of a namespace with a quota commit one after another.
    if (measured !== null) await lockNamespace(trx, prepared.namespace.slug);
    const { namespace } = await permit(trx);
    const { revision, deletions, releaseChanges } = await nextRevision(
      trx,
      prepared,
      afterGrace(configuration, now),
    );
    const before = await lockLibrary(trx, prepared);
    checkState(before, options.expectedRevision);
    checkBasis(prepared.basis, { revision: before?.revision ?? 0, deletions });
    if ((before?.cover_asset ?? null) !== prepared.coverAsset) throw changedMeanwhile();
    const room = { storeId: prepared.storeId, revision, releaseChanges };
    await requireRoomForRevision(trx, namespace, measured, room);
    await unmarkPending(trx, prepared.storeId, prepared.refersTo);
    await settleUnregistered(trx, prepared.storeId, prepared.uploadsSettled);
    const values = {
      ...columnsOf(prepared),
      thumbnails: JSON.stringify([prepared.manifest.sha256, ...prepared.built.thumbnails]),
      revision,
      visibility: options.visibility ?? before?.visibility ?? 'private',
      share_token: shareTokenAfter(options.share, before?.share_token ?? null),
      updated_at: now,
    };
    if (before) await retire(trx, before, now, prepared.differencesSha256);
    await logRegister(trx, prepared, revision, now);
    const row = before
      ? await trx
          .updateTable('libraries')
          .set(values)
          .where('id', '=', before.id)
          .where('revision', '=', before.revision)
          .returningAll()
          .executeTakeFirstOrThrow()
      : await trx
          .insertInto('libraries')
          .values({ ...values, id: randomUUID(), state: 'active', changes: 1, created_at: now })
          .returningAll()
          .executeTakeFirstOrThrow();
    await queueForSearch({ configuration, clock }, trx, row.id);
    await recordAudit(trx, now, actor, {
      action: 'library.register',
      namespace,
      target: prepared.name,
      details: {
        revision,
        visibility: row.visibility,
        ...(options.restored === undefined ? {} : { restored: options.restored }),
        shared: row.share_token !== null,
        newShareLink: row.share_token !== null && row.share_token !== before?.share_token,
      },
    });
    await options.alsoCommit?.(trx, row);
    return { row, created: before === null };
  });
}

/**
 * Takes the name's next revision number. The row stays locked until the transaction ends, so that registers of a name
 * pass this point one at a time. A rollback returns the number. The previous revision becomes due for reclaim at `due`.
 */
async function nextRevision(
  trx: Database,
  { namespace, name, storeId }: PreparedRevision,
  due: number,
): Promise<Basis & { releaseChanges: number }> {
  const taken = await trx
    .updateTable('library_names')
    .set((eb) => ({ ...marked(due)(eb), last_revision: eb('last_revision', '+', 1) }))
    .where('namespace_slug', '=', namespace.slug)
    .where('name', '=', name)
    .where('store_id', '=', storeId)
    .returning(['last_revision', 'deletions', 'release_changes'])
    .executeTakeFirst();
  if (!taken) throw revisionConflict(0);
  const { last_revision: revision, deletions, release_changes: releaseChanges } = taken;
  return { revision, deletions, releaseChanges };
}

/**
 * Throws if the basis has changed: what the register found stored may have been deleted, and what it built on replaced.
 * Other processes can do so only if the lock of the store was lost.
 */
function checkBasis(prepared: Basis, now: Basis): void {
  if (prepared.revision !== now.revision || prepared.deletions !== now.deletions) throw changedMeanwhile();
}

/** Locks the library and returns it as it is now. */
async function lockLibrary(trx: Database, { namespace, name }: PreparedRevision): Promise<LibraryRow | null> {
  const row = await trx
    .updateTable('libraries')
    .set((eb) => ({ changes: eb('changes', '+', 1) }))
    .where('namespace_id', '=', namespace.id)
    .where('name', '=', name)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

type RevisionColumns = Omit<
  Insertable<LibrariesTable>,
  | 'id'
  | 'state'
  | 'revision'
  | 'changes'
  | 'visibility'
  | 'share_token'
  | 'cover_asset'
  | 'thumbnails'
  | 'required_checks'
  | 'created_at'
  | 'updated_at'
>;

export function columnsOf(prepared: PreparedRevision): RevisionColumns {
  const { namespace, name, storeId, manifest, indexSha256, artifactsSha256, built, vectors } = prepared;
  const { library, aggregates, cover } = built;
  return {
    namespace_id: namespace.id,
    name,
    store_id: storeId,
    type: library.type ?? DEFAULT_LIBRARY_TYPE,
    title: library.title ?? null,
    description: library.description ?? null,
    provider: library.provider ?? null,
    homepage: library.homepage ?? null,
    license: library.license ?? null,
    tags: JSON.stringify(library.tags ?? []),
    upstream_repo: library.upstream?.repo ?? null,
    upstream_commit: library.upstream?.commit ?? null,
    asset_count: aggregates.assetCount,
    file_count: aggregates.fileCount,
    total_bytes: aggregates.totalBytes,
    categories: JSON.stringify(aggregates.categories),
    kinds: JSON.stringify(aggregates.kinds),
    licenses: JSON.stringify(aggregates.licenses),
    vectors_dim: vectors.dim,
    vectors_model: vectors.model,
    cover_sha256: cover?.sha256 ?? null,
    cover_path: cover?.path ?? null,
    manifest_sha256: manifest.sha256,
    manifest_size: manifest.size,
    manifest_layout: manifest.layout,
    uploads_settled: prepared.uploadsSettled,
    index_sha256: indexSha256,
    codes_sha256: vectors.codesSha256,
    artifacts_sha256: artifactsSha256,
  };
}

interface RegisterRecord {
  storeId: string;
  built: Pick<BuiltRevision, 'aggregates' | 'assetChanges'>;
  registeredBy: string;
}

/** Records what a register changed, as part of its commit, and deletes the oldest records. */
async function logRegister(
  trx: Database,
  { storeId, built, registeredBy }: RegisterRecord,
  revision: number,
  now: number,
): Promise<void> {
  const { aggregates, assetChanges } = built;
  await trx
    .insertInto('register_log')
    .values({
      store_id: storeId,
      revision,
      registered_by: registeredBy,
      registered_at: now,
      asset_count: aggregates.assetCount,
      file_count: aggregates.fileCount,
      total_bytes: aggregates.totalBytes,
      assets_added: assetChanges.added,
      assets_removed: assetChanges.removed,
      assets_changed: assetChanges.changed,
    })
    .execute();
  await trx
    .deleteFrom('register_log')
    .where('store_id', '=', storeId)
    .where('revision', '<=', revision - LIMITS.loggedRegisters)
    .execute();
}

/** Throws `library_in_trash` or `revision_conflict` if a register may not proceed. */
export function checkState(library: LibraryRow | null, expectedRevision: number | undefined): void {
  if (library?.state === 'deleted') throw libraryInTrash();
  const revision = library?.revision ?? 0;
  if (expectedRevision !== undefined && expectedRevision !== revision) throw revisionConflict(revision);
}

/** A missing library counts as revision 0. */
export function revisionConflict(revision: number): ServiceError {
  return new ServiceError(
    'revision_conflict',
    `The library is now at revision ${revision}. Read it again, then decide whether to repeat this.`,
    { revision },
  );
}
