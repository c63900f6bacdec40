import { QUOTA_AMOUNTS, type QuotaAmounts } from '@bindery/contract';
import type { LibraryRow } from '../../access/libraries.ts';
import type { NamespaceRow } from '../../access/namespaces.ts';
import type { MaintenanceContext } from '../../context.ts';
import type { Database } from '../../database/schema.ts';
import { changedMeanwhile } from '../../errors.ts';
import { openRevision, unlessContentLost } from '../../objects/open-revision.ts';
import { type Sums, unregisteredIn } from '../../objects/unregistered.ts';
import { isManifest, receiptsOf } from '../../objects/uploads.ts';
import type { FileClosure } from '../../revision/file-closure.ts';
import {
  type ContentUsage,
  contentsWithReleases,
  type MeasuringContext,
  measureNamespace,
  readUsage,
  recordUsage,
} from './measure.ts';
import { quotaOf, requireQuota } from './quota.ts';

/** A file that was announced or received; `sha256` is null if only its size is known. */
interface SentFile {
  path: string;
  size: number;
  sha256: string | null;
}

/**
 * Throws `quota_exceeded` if a namespace has a quota and no room for what a batch would add, together with earlier
 * uploads to its libraries that are not registered yet. Files of the current revision that the next one lacks do not
 * free any room yet.
 */
export async function requireRoomForUploads(
  context: MaintenanceContext,
  { namespace, row }: { namespace: NamespaceRow; row: LibraryRow | null },
  storeId: string,
  batch: readonly SentFile[],
): Promise<void> {
  const quota = quotaOf(namespace);
  if (quota === null) return;
  const { db } = context;
  const settled = row?.uploads_settled ?? 0;
  const used = await measureNamespace(context, namespace.id);
  const isStored = row === null ? () => false : await contentOf(context, row);
  const wantedWith = (unregistered: Sums, sent: readonly SentFile[]): QuotaAmounts => {
    const files = sent.filter(({ path }) => !isManifest(path));
    const added = distinct(files).filter((file) => !isStored(file));
    return {
      libraries: used.libraries + (row === null ? 1 : 0),
      files: used.files + unregistered.files + added.length,
      bytes: used.bytes + unregistered.bytes + added.reduce((sum, { size }) => sum + size, 0),
    };
  };
  const received = await unregisteredIn(db, namespace.slug);
  const direct = await announcedSums(db, storeId, settled);
  const sums = { files: received.files + direct.files, bytes: received.bytes + direct.bytes };
  const atMost = wantedWith(sums, batch);
  if (QUOTA_AMOUNTS.every((amount) => atMost[amount] <= (quota[amount] ?? Infinity))) return;
  // Some contents may have been sent to several paths, or be in the revision: that is compared only before it refuses.
  const elsewhere = await unregisteredIn(db, namespace.slug, { except: storeId });
  const wanted = wantedWith(elsewhere, [...(await sentBefore(db, storeId, settled)), ...batch]);
  requireQuota(namespace.slug, quota, { used, wanted });
}

async function contentOf(context: MaintenanceContext, row: LibraryRow): Promise<(file: SentFile) => boolean> {
  const opened = await unlessContentLost(openRevision(context, row));
  // What is lost cannot be compared; the register measures again.
  if (opened === null) return () => true;
  const { files } = opened.index;
  return ({ sha256, size }) => sha256 !== null && files.sizeOfContent(sha256) === size;
}

/** Returns what a store has received, or may be receiving, for the next register. */
async function sentBefore(db: Database, storeId: string, settled: number): Promise<SentFile[]> {
  const sent: SentFile[] = [];
  for await (const receipt of receiptsOf({ db, storeId })) if (receipt.number > settled) sent.push(receipt);
  const direct = await announced(db, storeId, settled).select(['path', 'size', 'sha256']).execute();
  return [...sent, ...direct];
}

/** Adds up what a store may be receiving past the service. */
async function announcedSums(db: Database, storeId: string, settled: number): Promise<Sums> {
  const { files, bytes } = await announced(db, storeId, settled)
    .select(({ fn }) => [
      fn.countAll<number | string>().as('files'),
      fn.sum<number | string | null>('size').as('bytes'),
    ])
    .executeTakeFirstOrThrow();
  return { files: Number(files), bytes: Number(bytes ?? 0) };
}

function announced(db: Database, storeId: string, settled: number) {
  return db
    .selectFrom('direct_uploads')
    .where('store_id', '=', storeId)
    .where('arrived', '=', 0)
    .where('number', '>=', settled);
}

/**
 * Returns each content once. A file without a hash counts once per path and size, unless a file with a hash was sent
 * there with the same size.
 */
function distinct(files: readonly SentFile[]): SentFile[] {
  const contents = new Map<string, SentFile>();
  const places = new Set<string>();
  for (const file of files) {
    if (file.sha256 === null) continue;
    contents.set(file.sha256, file);
    places.add(placeOf(file));
  }
  for (const file of files) {
    if (file.sha256 === null && !places.has(placeOf(file))) contents.set(placeOf(file), file);
  }
  return [...contents.values()];
}

function placeOf({ path, size }: SentFile): string {
  return `${size} ${path}`;
}

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
  context: MeasuringContext,
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
  context: MeasuringContext,
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
  const used = await readUsage(trx, namespace.id);
  if (used === null) throw new NotMeasured();
  const before = await trx
    .selectFrom('library_usage')
    .select(['files', 'bytes'])
    .where('store_id', '=', storeId)
    .executeTakeFirst();
  requireQuota(namespace.slug, quota, {
    used,
    wanted: {
      libraries: used.libraries + (before ? 0 : 1),
      files: used.files + measured.files - (before?.files ?? 0),
      bytes: used.bytes + measured.bytes - (before?.bytes ?? 0),
    },
  });
  const { files, bytes } = measured;
  await recordUsage(trx, { store_id: storeId, revision, release_changes: releaseChanges, files, bytes });
}
