import type { BodyOf, routes } from '@bindery/contract';
import {
  type LibraryAddress,
  type LibraryRow,
  loadPublishTarget,
  lockPublishTarget,
  type PublishTarget,
} from '../../access/libraries.ts';
import { requireAccount, type Viewer } from '../../access/viewer.ts';
import { actorOf } from '../../audit/actor.ts';
import type { Context, MaintenanceContext } from '../../context.ts';
import { ServiceError } from '../../errors.ts';
import type { RegisterOutcome } from '../../metrics.ts';
import { clearDamaged, clearReplacedDamage, damagedObjects } from '../../objects/health/damage.ts';
import { repairIndex } from '../../objects/health/repair.ts';
import { findLibraryStore } from '../../objects/library-store.ts';
import { listedArtifacts, unlessContentLost } from '../../objects/open-revision.ts';
import { deletingIfPurged, finishDeletions } from '../../objects/retention/delete.ts';
import { markForReclaim } from '../../objects/retention/retire.ts';
import { deleteSettledReceipts, lastUpload } from '../../objects/uploads.ts';
import type { StoredArtifact } from '../../revision/encode-index.ts';
import { FileClosure } from '../../revision/file-closure.ts';
import { decodeSections } from '../../revision/sections.ts';
import { withQuotaNotifications } from '../quotas/quota.ts';
import { withMeasured } from '../quotas/room.ts';
import { isSemantic } from '../read/library.ts';
import { findManifest, manifestMissing, readManifest, type Source } from './build.ts';
import { type Committer, checkState, commitRevision, type PreparedRevision } from './commit.ts';
import { collectDirect } from './direct-uploads.ts';
import { readSidecar } from './read-sidecar.ts';
import type { BuiltRevision } from './revision-workers.ts';
import { findLostContent, type LostContent, promoteStored, verifyStored } from './store.ts';

type RegisterBody = NonNullable<BodyOf<typeof routes.libraries.registerLibrary>>;

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
  address: LibraryAddress,
  readBody: () => BodyOf<typeof routes.libraries.registerLibrary>,
): Promise<Registered> {
  const target = await loadPublishTarget(context.db, viewer, address);
  const body = readBody() ?? {};
  const registrant: Registrant = {
    accountId: requireAccount(viewer).accountId,
    actor: actorOf(viewer),
    permit: (trx) => lockPublishTarget(trx, viewer, address),
  };
  const since = performance.now();
  let outcome: RegisterOutcome = 'internal';
  try {
    const registered = await register(context, target, address.name, body, registrant);
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

async function register(
  context: Context,
  { namespace, row }: PublishTarget,
  name: string,
  body: RegisterBody,
  registrant: Registrant,
): Promise<Registered> {
  checkState(row, body.expectedRevision);
  const address = { namespace: namespace.slug, name };
  const storeId = await findLibraryStore(context.db, address);
  if (storeId === null) throw manifestMissing('Nothing has been uploaded to this library yet.');
  return context.storeLocks.withLock(storeId, async () => {
    const library = await findLibrary(context.db, namespace.id, name);
    checkState(library, body.expectedRevision);
    if ((await findLibraryStore(context.db, address)) !== storeId) throw wasPurged();
    const into = { namespace, name, storeId, library };
    return deletingIfPurged(context, storeId, () => registerInStore(context, into, body, registrant));
  });
}

interface Target {
  namespace: PublishTarget['namespace'];
  name: string;
  storeId: string;
  library: LibraryRow | null;
}

async function registerInStore(
  context: Context,
  { namespace, name, storeId, library }: Target,
  body: RegisterBody,
  registrant: Registrant,
): Promise<Registered> {
  const { objects } = context;
  const since = library?.uploads_settled ?? 0;
  await collectDirect(context, storeId);
  // Read first: uploads that arrive from now on may be missed, and must not count as settled.
  const until = await lastUpload({ ...context, storeId });
  // Objects that are being deleted would still be found, but be deleted a moment later.
  const { deletions } = await finishDeletions(context, storeId);
  const manifest = await findManifest(context, storeId, library, body.manifestSha256);
  const built = await build(context, { storeId, library, manifest, since }, body.artifacts);

  const closure = new FileClosure(decodeSections(built.index));
  await clearReplacedDamage(context, storeId);
  const damaged = await damagedObjects(context.db, storeId);
  const lost = await findLostContent(context, storeId, closure, { added: built.added, damaged });
  const wanted = new Uint32Array(built.added.length + lost.places.length);
  wanted.set(built.added);
  wanted.set(lost.places, built.added.length);
  const gone = lost.places.map((place) => closure.sha256(place));
  const store = { ...context, storeId, lost: new Set([...damaged, ...gone]) };
  await verifyStored(store, since, closure, wanted, built.missingArtifacts);
  await markForReclaim(context, storeId);
  await promoteStored(store, closure, wanted);
  await promoteManifest(context, storeId, manifest);
  await recordRepaired(context, storeId, [...new Set(gone)]);
  const { sha256: indexSha256 } = await objects.write(storeId, built.index);
  const list = built.artifactList && (await objects.write(storeId, built.artifactList));
  const { vectors, warnings } = await readSidecar(
    context,
    { storeId, indexSha256, library, lost: lost.artifacts },
    built.sidecar,
  );

  const documents = [manifest.sha256, indexSha256, list?.sha256, vectors.codesSha256];
  const prepared: PreparedRevision = {
    namespace,
    name,
    storeId,
    manifest,
    indexSha256,
    artifactsSha256: list?.sha256 ?? null,
    built,
    registeredBy: registrant.accountId,
    vectors,
    uploadsSettled: until,
    basis: { revision: library?.revision ?? 0, deletions },
    refersTo: (sha256) => documents.includes(sha256) || closure.sizeOfContent(sha256) !== null,
  };
  const committed = await withQuotaNotifications(context, () =>
    withMeasured(context, { namespace, storeId, files: closure }, (measured) =>
      commitRevision(context, prepared, body, registrant, measured),
    ),
  );
  deleteSettledReceipts(store, until).catch((error: unknown) => {
    context.log.warn({ err: error }, 'receipts of registered uploads are kept until they are a day old');
  });
  return { ...committed, warnings: [...warnings, ...warningsOf(lost)] };
}

/**
 * Builds the revision on top of the previous one, whose index is rebuilt first if damaged. If that is impossible,
 * the previous revision counts as empty, so that everything is verified, and its artifacts are those of its list.
 */
async function build(
  context: Context,
  source: Source,
  artifacts: RegisterBody['artifacts'],
): Promise<BuiltRevision> {
  const built = await readManifest(context, source, artifacts);
  if (built !== 'previous-damaged') return built;
  const library = source.library && (await unlessContentLost(repairIndex(context, source.library)));
  const listed = library === null ? await artifactsOfLost(context, source) : [];
  const again = await readManifest(context, { ...source, library, listed }, artifacts);
  if (again === 'previous-damaged') throw new Error('an index was damaged again while it was rebuilt');
  return again;
}

async function artifactsOfLost(
  { objects, log }: Context,
  { storeId, library }: Source,
): Promise<StoredArtifact[]> {
  if (library === null) return [];
  const listed = await listedArtifacts(objects, library);
  const { name, revision } = library;
  log.warn(
    { storeId, library: name, revision, artifacts: listed?.length ?? null },
    'a library is registered anew because its manifest and index are lost; platform artifacts come from their list',
  );
  return listed ?? [];
}

/** Records that lost objects were repaired: what was promoted is intact. */
async function recordRepaired(context: Context, storeId: string, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return;
  await clearDamaged(context.db, storeId, hashes);
  context.log.warn({ storeId, total: hashes.length }, 'lost objects were replaced by a push');
  for (const _ of hashes) context.metrics.damageRepaired('file');
}

function warningsOf({ artifacts }: LostContent): string[] {
  const [first] = artifacts;
  if (first === undefined) return [];
  const others = artifacts.length > 1 ? ` and ${artifacts.length - 1} more` : '';
  return [`The service has lost ${first}${others}. A push with --thumbnails and --embed creates them again.`];
}

async function promoteManifest(
  { db, objects }: MaintenanceContext,
  storeId: string,
  { sha256, size }: { sha256: string; size: number },
): Promise<void> {
  const missing = await objects.promote(storeId, [{ sha256, size }]);
  if (missing.length > 0) throw manifestMissing('The manifest is no longer stored. Upload it again.');
  await clearDamaged(db, storeId, [sha256]);
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
