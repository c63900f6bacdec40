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
import { withQuotaNotifications } from '../libraries/quotas/quota.ts';
import { requireRoomForUploads } from '../libraries/quotas/room.ts';
import { unlessLost } from '../objects/damaged.ts';
import { claimLibraryStore } from '../objects/library-store.ts';
import { leaseObjects } from '../objects/retention/doomed-objects.ts';
import { markForReclaim } from '../objects/retention/retire.ts';
import { changeManifest, type FileChange } from './change-manifest.ts';
import { commitOf } from './revision.ts';

/** Files that clients of a door change in one step. */
export interface Commit {
  /** The commit that the client began with, if it says so. */
  parent?: string | undefined;
  changes: (FileChange | { kind: 'write'; path: string; bytes: Buffer })[];
}

/** Manifests of more bytes are not changed by commits: they are read and written in one turn of the event loop. */
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
  const manifest = await readManifest(context, row);
  const applied: FileChange[] = [];
  for (const change of changes) {
    checkPath(change.path);
    applied.push(change.kind === 'write' ? await write(context, target, change.path, change.bytes) : change);
  }
  const changed = changeManifest(manifest, applied);
  return register(context, viewer, target, changed.manifest, {
    expectedRevision: row.revision,
    artifacts: changed.artifacts,
  });
}

/** Publishes a library without assets, for clients that make a library before its files. */
export function publishEmpty(
  context: Context,
  viewer: Viewer,
  target: PublishTarget,
  visibility: 'public' | 'private',
): Promise<string> {
  const manifest: Manifest = { schema: MANIFEST_SCHEMA, assets: [] };
  return register(context, viewer, target, manifest, { expectedRevision: 0, visibility });
}

function checkPath(path: string): void {
  const problem = userPathProblem(path.replace(/\/$/, ''));
  if (problem !== null)
    throw invalidParameter('path', `path: ${JSON.stringify(path.slice(0, 80))} ${problem}.`);
}

async function readManifest({ objects }: Context, row: LibraryRow): Promise<Manifest> {
  if (row.manifest_size > MAX_MANIFEST || row.manifest_layout !== 'current') {
    const message =
      'This library has too many files, or a manifest of an older layout. Publish it with "bindery push".';
    throw new ServiceError('payload_too_large', message);
  }
  const bytes = await unlessLost(objects.read({ storeId: row.store_id, sha256: row.manifest_sha256 }));
  if (bytes === null) throw contentLost('the manifest of this library');
  return JSON.parse(bytes.toString());
}

async function register(
  context: Context,
  viewer: Viewer,
  target: PublishTarget,
  manifest: Manifest,
  body: Parameters<typeof registerLibrary>[3],
): Promise<string> {
  const bytes = Buffer.from(JSON.stringify(manifest));
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
  bytes: Buffer,
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
