import { hash } from 'node:crypto';
import { MANIFEST_PATH, MANIFEST_SCHEMA, type Manifest, userPathProblem } from '@bindery/contract';
import type { LibraryRow, PublishTarget } from '../access/libraries.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Context } from '../context.ts';
import { invalidParameter, preconditionFailed, ServiceError } from '../errors.ts';
import { composeNext, storeAsUploaded } from '../libraries/publish/compose.ts';
import { registerLibrary } from '../libraries/publish/register.ts';
import type { FileChange } from '../libraries/publish/worker/change-manifest.ts';
import { openRevision } from '../objects/open-revision.ts';
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
  if (row.manifest_layout !== 'current') {
    const message = 'This library has a manifest of an older layout. Publish it with "bindery push".';
    throw new ServiceError('payload_too_large', message);
  }
  const applied: FileChange[] = [];
  for (const change of changes) {
    checkPath(change.path);
    applied.push(await apply(context, target, change));
    if (turnIsOver()) await nextTurn();
  }
  const files = await packListInTurns(applied);
  const { sha256, artifacts } = await composeNext(context, target, { of: 'files', files });
  return register(context, viewer, target, sha256, {
    expectedRevision: row.revision,
    artifacts,
    isComposed: true,
  });
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
    case 'write': {
      const bytes = Buffer.from(change.content, change.encoding);
      const file = { path: change.path, sha256: hash('sha256', bytes) };
      return { kind: 'put', ...(await storeAsUploaded(context, target, file, bytes)) };
    }
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
export async function publishEmpty(
  context: Context,
  viewer: Viewer,
  target: PublishTarget,
  visibility: 'public' | 'private',
): Promise<string> {
  const manifest: Manifest = { schema: MANIFEST_SCHEMA, assets: [] };
  const bytes = Buffer.from(JSON.stringify(manifest));
  const { sha256 } = await storeAsUploaded(
    context,
    target,
    { path: MANIFEST_PATH, sha256: hash('sha256', bytes) },
    bytes,
  );
  return register(context, viewer, target, sha256, { expectedRevision: 0, visibility });
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
  manifestSha256: string,
  body: Parameters<typeof registerLibrary>[3],
): Promise<string> {
  const { row } = await registerLibrary(context, viewer, target, { ...body, manifestSha256 });
  return commitOf(row, manifestSha256);
}
