import { hash } from 'node:crypto';
import { LIMITS, MANIFEST_PATH, MANIFEST_SCHEMA, type Manifest, userPathProblem } from '@bindery/contract';
import type { LibraryAddress, LibraryRow, PublishTarget } from '../access/libraries.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Context } from '../context.ts';
import {
  changedMeanwhile,
  contentLost,
  invalidParameter,
  preconditionFailed,
  ServiceError,
} from '../errors.ts';
import { insertReceipts } from '../libraries/publish/receive.ts';
import { registerLibrary } from '../libraries/publish/register.ts';
import type { FileChange } from '../libraries/publish/worker/change-manifest.ts';
import { withQuotaNotifications } from '../libraries/quotas/quota.ts';
import { requireRoomForUploads } from '../libraries/quotas/room.ts';
import { claimLibraryStore } from '../objects/library-store.ts';
import { openRevision } from '../objects/open-revision.ts';
import { leaseObjects } from '../objects/retention/doomed-objects.ts';
import { markForReclaim } from '../objects/retention/retire.ts';
import { packListInTurns } from '../process/packed-list.ts';
import { nextTurn, turnIsOver } from '../process/turns.ts';
import type { StatedChange } from './bodies.ts';
import { commitOf } from './revision.ts';

/** Files that clients of a door change in one step. */
export interface Commit {
  /** The commit that the client began with, if it says so. */
  parent?: string | undefined;
  changes: StatedChange[];
}

/** Manifests of more bytes are not changed by commits: they are hashed in one turn of the event loop. */
const MAX_MANIFEST = 8 * 1024 * 1024;

/**
 * Publishes the next revision of a library: what a commit names is changed, all else stays. The bytes of files that are
 * put have been uploaded before; the register checks that, and everything else. Returns the commit of the revision.
 * Throws `precondition_failed`, and what a register throws.
 */
export async function publishCommit(
  context: Context,
  viewer: Viewer,
  target: PublishTarget & { row: LibraryRow },
  { parent, changes }: Commit,
): Promise<string> {
  const { row } = target;
  if (parent !== undefined && parent !== commitOf(row, row.manifest_sha256))
    throw preconditionFailed('The library has a newer revision than the one that this commit was made for.');
  if (row.manifest_size > MAX_MANIFEST || row.manifest_layout !== 'current') {
    const message =
      'This library has too many files, or a manifest of an older layout. Publish it with "bindery push".';
    throw new ServiceError('payload_too_large', message);
  }
  const applied: FileChange[] = [];
  for (const change of changes) {
    checkPath(change.path);
    applied.push(await apply(context, target, change));
    if (turnIsOver()) await nextTurn();
  }
  const { store_id: storeId, manifest_sha256: sha256 } = row;
  const changed = await context.revisionWorkers.change({
    manifest: { sha256, file: await context.objects.localFile({ storeId, sha256 }) },
    changes: await packListInTurns(applied),
  });
  if (changed.kind === 'damaged') throw contentLost('the manifest of this library');
  const { manifest, artifacts } = changed;
  return register(context, viewer, target, manifest, { expectedRevision: row.revision, artifacts });
}

/** Stores what a change brings, and finds the size of what it copies. */
async function apply(
  context: Context,
  target: PublishTarget & { row: LibraryRow },
  change: StatedChange,
): Promise<FileChange> {
  switch (change.kind) {
    case 'delete':
      return change;
    case 'write':
      return write(context, target, change.path, Buffer.from(change.content, change.encoding));
    case 'put': {
      const size = change.size ?? (await sizeOfContent(context, target.row, change.sha256));
      return { ...change, size };
    }
  }
}

/** The size of a file that a commit copies, which it names by its hash alone. */
async function sizeOfContent(context: Context, row: LibraryRow, sha256: string): Promise<number> {
  const size = (await openRevision(context, row)).index.files.sizeOfContent(sha256);
  if (size !== null) return size;
  throw invalidParameter('size', 'size: it is needed for a file that the library does not have.');
}

/** Publishes a library without assets, for clients that make a library before its files. */
export function publishEmpty(
  context: Context,
  viewer: Viewer,
  target: PublishTarget,
  visibility: 'public' | 'private',
): Promise<string> {
  const manifest: Manifest = { schema: MANIFEST_SCHEMA, assets: [] };
  const bytes = Buffer.from(JSON.stringify(manifest));
  return register(context, viewer, target, bytes, { expectedRevision: 0, visibility });
}

function checkPath(path: string): void {
  const problem = userPathProblem(path.replace(/\/$/, ''));
  if (problem !== null)
    throw invalidParameter('path', `path: ${JSON.stringify(path.slice(0, 80))} ${problem}.`);
}

async function register(
  context: Context,
  viewer: Viewer,
  target: PublishTarget,
  bytes: Uint8Array,
  body: Parameters<typeof registerLibrary>[3],
): Promise<string> {
  if (bytes.length > LIMITS.manifest.bytes)
    throw new ServiceError('manifest_too_large', 'The library has too many files.');
  const { sha256 } = await write(context, target, MANIFEST_PATH, bytes);
  const { row } = await registerLibrary(context, viewer, target, { ...body, manifestSha256: sha256 });
  return commitOf(row, sha256);
}

/** Stores bytes as if they had been uploaded for a path; those that no revision names are reclaimed later. */
async function write(
  context: Context,
  target: PublishTarget,
  path: string,
  bytes: Uint8Array,
): Promise<Extract<FileChange, { kind: 'put' }>> {
  const { db, objects, clock } = context;
  const library: LibraryAddress = { namespace: target.namespace.slug, name: target.name };
  const storeId = await claimLibraryStore(db, library);
  const file = { path, size: bytes.length, sha256: hash('sha256', bytes) };
  await withQuotaNotifications(context, () => requireRoomForUploads(context, target, storeId, [file]));
  await objects.requireRoom(bytes.length);
  await markForReclaim(context, storeId);
  const leased = await leaseObjects(db, storeId, [file.sha256], clock());
  if (!leased.has(file.sha256)) throw changedMeanwhile();
  await objects.write(storeId, bytes);
  await insertReceipts({ db, clock }, [{ storeId, ...file }]);
  return { kind: 'put', ...file };
}
