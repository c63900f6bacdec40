import type { BodyOf, ManifestChanges, routes } from '@bindery/contract';
import { type LibraryRow, lockPublishTarget, type PublishTarget } from '../../access/libraries.ts';
import { requireAccount, type Viewer } from '../../access/viewer.ts';
import { actorOf } from '../../audit/audit-log.ts';
import type { Context } from '../../context.ts';
import type { Database } from '../../database/schema.ts';
import { notFound, ServiceError } from '../../errors.ts';
import type { RegisterOutcome } from '../../metrics.ts';
import { findLibraryStore } from '../../objects/library-store.ts';
import { makeManifest } from '../../objects/made-manifest.ts';
import { listedArtifacts } from '../../objects/open-revision.ts';
import { deletingIfPurged, finishDeletions } from '../../objects/retention/delete.ts';
import { endLease } from '../../objects/retention/doomed-objects.ts';
import { dropWhole } from '../../objects/retention/reclaim.ts';
import { deleteSettledReceipts, lastUpload } from '../../objects/uploads.ts';
import type { StoredArtifact } from '../../revision/encode-index.ts';
import type { FileClosure } from '../../revision/file-closure.ts';
import { withQuotaNotifications } from '../quotas/quota.ts';
import { withMeasured } from '../quotas/room.ts';
import { isSemantic } from '../read/library.ts';
import { findKeptRevision } from '../read/revisions.ts';
import { build, findManifest, type ManifestSource, manifestMissing, manifestOf } from './build.ts';
import {
  type Committer,
  checkState,
  commitRevision,
  type PreparedRevision,
  revisionConflict,
} from './commit.ts';
import { composeChanges, NotSpliced, requireBase, spliceChanges } from './compose.ts';
import { collectDirect } from './direct-uploads.ts';
import type { BuiltRevision } from './revision-workers.ts';
import { type StoredRevision, storeRevision } from './store.ts';

interface RegisterBody extends NonNullable<BodyOf<typeof routes.libraries.registerLibrary>> {
  /** The number of the earlier revision that becomes the next one again, instead of what was uploaded. */
  restored?: number;
  /** The manifest was made of the current one: artifacts that are not named are those of the current revision. */
  isComposed?: true;
  /** The manifest that was made. */
  manifest?: ManifestSource;
  /** Part of the commit. */
  alsoCommit?: (trx: Database, registered: LibraryRow) => Promise<void>;
}

interface Registered {
  row: LibraryRow;
  created: boolean;
  /** Problems that do not fail the register. */
  warnings: string[];
}

/**
 * Publishes what was uploaded as the library's next revision, all or nothing: validates the manifest, verifies that
 * every byte is stored, commits. Throws the errors that the route lists.
 */
export async function registerLibrary(
  context: Context,
  viewer: Viewer,
  target: PublishTarget,
  body: RegisterBody,
): Promise<Registered> {
  const address = { namespace: target.namespace.slug, name: target.name };
  const registrant: Registrant = {
    accountId: requireAccount(viewer).accountId,
    actor: actorOf(viewer),
    permit: (trx) => lockPublishTarget(trx, viewer, address),
  };
  const since = performance.now();
  let outcome: RegisterOutcome = 'internal';
  try {
    const { changes, ...rest } = body;
    const registered = changes
      ? await applyChanges(context, target, { ...rest, changes }, (body) =>
          register(context, target, body, registrant),
        )
      : await register(context, target, body, registrant);
    outcome = registered.created ? 'created' : 'updated';
    if (isSemantic(context.encoder.model, registered.row)) context.encoder.prepare();
    return registered;
  } catch (error) {
    if (error instanceof ServiceError) outcome = error.code;
    throw error;
  } finally {
    context.metrics.registered({ outcome, seconds: (performance.now() - since) / 1_000 });
  }
}

/** Who registers. */
interface Registrant extends Committer {
  accountId: string;
}

/**
 * Has `publish` make a revision of changes of the current manifest: spliced into what there is, else composed to a manifest
 * that is read anew. Throws `revision_conflict` for changes of another one.
 */
export async function applyChanges<Result>(
  context: Context,
  target: PublishTarget,
  { changes, ...body }: RegisterBody & { changes: ManifestChanges },
  publish: (body: RegisterBody) => Promise<Result>,
  isProposed = false,
): Promise<Result> {
  const row = requireBase(target.row, changes, body.expectedRevision);
  try {
    return await publish({ ...body, changes, expectedRevision: row.revision });
  } catch (error) {
    if (!(error instanceof NotSpliced)) throw error;
  }
  const composed = await composeChanges(
    context,
    { ...target, row },
    changes,
    body.manifestSha256,
    isProposed,
  );
  return publish({ ...body, ...composed });
}

async function register(
  context: Context,
  target: PublishTarget,
  body: RegisterBody,
  registrant: Registrant,
): Promise<Registered> {
  const { namespace } = target;
  const { committed, revision, warnings } = await prepareRevision(
    context,
    target,
    body,
    registrant.accountId,
    (revision, files) =>
      withQuotaNotifications(context, () =>
        withMeasured(context, { namespace, storeId: revision.storeId, files }, (measured) =>
          commitRevision(context, revision, body, registrant, measured),
        ),
      ),
  );
  const { storeId, uploadsSettled, differencesSha256 } = revision;
  deleteSettledReceipts({ ...context, storeId }, uploadsSettled).catch((error: unknown) => {
    context.log.warn({ err: error }, 'receipts of registered uploads are kept until they are a day old');
  });
  if (differencesSha256 !== null) {
    dropWhole(context, storeId).catch((error: unknown) => {
      context.log.warn({ err: error }, 'replaced manifests and indexes are kept for the grace period');
    });
  }
  return { ...committed, warnings };
}

/** A revision that was committed, whatever that made of it. */
interface Committed<Result> {
  committed: Result;
  revision: PreparedRevision;
  /** Problems that did not fail it. */
  warnings: string[];
}

/**
 * Verifies and stores, while it holds the library's store, what the next revision consists of, and has `commit` make it
 * one. Throws the errors of a register; then nothing has changed.
 */
export async function prepareRevision<Result>(
  context: Context,
  { namespace, name, row }: PublishTarget,
  body: RegisterBody,
  accountId: string,
  commit: (revision: PreparedRevision, files: FileClosure, added: Uint32Array) => Promise<Result>,
): Promise<Committed<Result>> {
  checkState(row, body.expectedRevision);
  const address = { namespace: namespace.slug, name };
  const storeId = await findLibraryStore(context.db, address);
  if (storeId === null) throw manifestMissing('Nothing has been uploaded to this library yet.');
  return context.storeLocks.withLock(storeId, async () => {
    const library = await findLibrary(context.db, namespace.id, name);
    checkState(library, body.expectedRevision);
    if ((await findLibraryStore(context.db, address)) !== storeId) throw wasPurged();
    const target = { namespace, name, storeId, library };
    return deletingIfPurged(context, storeId, async () => {
      const prepared = await prepareStore(context, target);
      const { manifest, artifacts, revision } = await findRevision(context, target, body);
      const source = { ...target, ...prepared, manifest, isComposed: body.isComposed };
      const built = revision ?? (await build(context, source, artifacts));
      const stored = await storeRevision(context, source, built);
      const next = revisionOf(source, built, stored, accountId);
      const committed = await commit(next, stored.closure, built.added);
      if (body.isComposed) await endLease(context.db, storeId, manifest.sha256);
      return { committed, revision: next, warnings: stored.warnings };
    });
  });
}

interface Target {
  namespace: PublishTarget['namespace'];
  name: string;
  storeId: string;
  library: LibraryRow | null;
}

/** What becomes a revision, and what is built of it if that is known already. */
interface FoundRevision {
  manifest: ManifestSource;
  artifacts?: StoredArtifact[] | undefined;
  revision?: BuiltRevision;
}

async function findRevision(
  context: Context,
  { storeId, library }: Target,
  body: RegisterBody,
): Promise<FoundRevision> {
  const { manifestSha256, artifacts, changes, restored, manifest } = body;
  if (manifest) return { manifest, artifacts };
  if (changes) return spliceChanges(context, library, changes, body);
  if (restored !== undefined) return earlierRevision(context, library, restored);
  return { manifest: await findManifest(context, storeId, library, manifestSha256), artifacts };
}

/** Returns what a revision consists of that the library had before, and that is released or kept. */
async function earlierRevision(
  context: Context,
  library: LibraryRow | null,
  revision: number,
): Promise<FoundRevision> {
  if (library?.revision === revision) throw revisionConflict(revision);
  const row = library && (await findKeptRevision(context, library, revision));
  if (row === null) throw notFound();
  await makeManifest(context, row);
  return { manifest: manifestOf(row), artifacts: (await listedArtifacts(context.objects, row)) ?? [] };
}

/** The uploads that a register sees, by number, and the deletions that were finished before it looked. */
interface PreparedStore {
  /** Uploads up to this number belong to earlier registers. */
  since: number;
  /** The last upload that the register can have seen. */
  until: number;
  deletions: number;
}

/** Collects uploads that bypassed the service, and finishes deletions that others began. */
async function prepareStore(context: Context, { storeId, library }: Target): Promise<PreparedStore> {
  await collectDirect(context, storeId);
  // Read first: uploads that arrive from now on may be missed, and must not count as settled.
  const until = await lastUpload({ ...context, storeId });
  // Objects that are being deleted would still be found, but be deleted a moment later.
  const { deletions } = await finishDeletions(context, storeId);
  return { since: library?.uploads_settled ?? 0, until, deletions };
}

function revisionOf(
  source: Target & PreparedStore & { manifest: ManifestSource },
  built: BuiltRevision,
  stored: StoredRevision,
  registeredBy: string,
): PreparedRevision {
  const { namespace, name, storeId, library, manifest, until, deletions } = source;
  const { closure, indexSha256, artifactsSha256, differencesSha256, vectors } = stored;
  const { codesSha256 } = vectors;
  const documents = [manifest.sha256, indexSha256, artifactsSha256, codesSha256, differencesSha256];
  return {
    ...{ namespace, name, storeId, manifest, indexSha256, artifactsSha256, differencesSha256 },
    ...{ built, vectors, registeredBy },
    uploadsSettled: until,
    coverAsset: library?.cover_asset ?? null,
    basis: { revision: library?.revision ?? 0, deletions },
    refersTo: (sha256) => documents.includes(sha256) || closure.sizeOfContent(sha256) !== null,
  };
}

function wasPurged() {
  return manifestMissing('The library was purged together with its uploads. Upload it again.');
}

async function findLibrary(db: Context['db'], namespaceId: string, name: string): Promise<LibraryRow | null> {
  const row = await db
    .selectFrom('libraries')
    .selectAll()
    .where('namespace_id', '=', namespaceId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row ?? null;
}
