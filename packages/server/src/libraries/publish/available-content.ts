import type { LibraryRow } from '../../access/libraries.ts';
import type { Context, MaintenanceContext } from '../../context.ts';
import { contentsOf } from '../../objects/contents.ts';
import { unlessContentLost } from '../../objects/listed-artifacts.ts';
import { openRevision } from '../../objects/open-revision.ts';
import { leaseObjects } from '../../objects/retention/doomed-objects.ts';
import type { StoredObject } from '../../objects/store.ts';
import { recentlyUploaded } from '../../objects/uploads.ts';

/**
 * Returns the hashes of contents that a register of this library would find, and that nothing deletes before: they are
 * staged (which renews their time in the staging area), were sent within the last day and are stored (in a store without
 * a staging area, or because a register promoted them and then failed, as for a quota), or belong to the current
 * revision. The latter two are leased for a day, in case the next revision does not have them.
 *
 * Other stored objects do not count, because they may belong to an old revision whose grace period is about to end,
 * unless what the current revision consists of is lost: then all of them do, and are leased. Objects that are missing or
 * known to be damaged never count; `verify` reads all but the staged ones. Throws `unavailable` if that takes too long.
 */
export async function findAvailableContent(
  context: Context,
  storeId: string,
  library: LibraryRow | null,
  contents: readonly StoredObject[],
  { verify }: { verify: boolean },
): Promise<ReadonlySet<string>> {
  if (contents.length === 0) return new Set();
  const staged = await context.objects.findStaged(storeId, contents);
  const isPublished = library === null ? () => false : await publishedBy(context, library);
  const others = contents.filter(({ sha256 }) => !staged.has(sha256));
  const uploaded = await uploadedContent(context, storeId, others);
  const published = others.filter((content) => uploaded.has(content.sha256) || isPublished(content));
  if (published.length === 0) return staged;
  const { contentChecks, db, clock } = context;
  const hashes = published.map(({ sha256 }) => sha256);
  const leased = await leaseObjects(db, storeId, hashes, clock());
  // Checked after the lease, so that what is found stays.
  const lost = await (verify
    ? contentChecks.findLost(storeId, published)
    : contentChecks.findKnownLost(storeId, published));
  const whole = published.filter(({ sha256 }) => leased.has(sha256) && !lost.has(sha256));
  return new Set([...staged, ...whole.map(({ sha256 }) => sha256)]);
}

async function publishedBy(
  context: MaintenanceContext,
  library: LibraryRow,
): Promise<(content: StoredObject) => boolean> {
  const opened = await unlessContentLost(openRevision(context, library));
  if (opened === null) return () => true;
  const { row, index } = opened;
  return ({ sha256, size }) => sha256 === row.manifest_sha256 || index.files.sizeOfContent(sha256) === size;
}

/** Returns recent uploads that are stored as objects. */
async function uploadedContent(
  { db, objects }: MaintenanceContext,
  storeId: string,
  contents: readonly StoredObject[],
): Promise<ReadonlySet<string>> {
  const hashes = contents.map(({ sha256 }) => sha256);
  const recent = await recentlyUploaded(db, storeId, hashes);
  const sent = contents.filter(({ sha256 }) => recent.has(sha256));
  const absent = new Set(await objects.findAbsent(storeId, contentsOf(sent)));
  return new Set(sent.flatMap(({ sha256 }, at) => (absent.has(at) ? [] : [sha256])));
}
