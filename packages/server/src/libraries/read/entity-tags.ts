import { createHash, type Hash } from 'node:crypto';
import { LIMITS } from '@bindery/contract';
import type { LibraryRow, ReadableLibrary } from '../../access/libraries.ts';
import type { Context } from '../../context.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { LibraryState } from './lists.ts';

/*
 * Entity tags are weak, because presigned URLs differ between responses. The tag of a response with a presigned URL
 * changes before the URL expires, so that no client caches an expired one.
 */
const URL_RENEWAL = (LIMITS.thumbnailTtl / 2) * 1_000;

/** Changes with every change of what `describeDetail` shows this viewer. */
export function detailTag(
  { clock, encoder }: Context,
  { row, viewerCanManage }: ReadableLibrary,
  seen: unknown,
): string {
  const shown = [encoder.model, rowState(row, clock()), viewerCanManage, seen];
  return tagOf(createHash('sha256').update(JSON.stringify(shown)));
}

/** Changes with every change of a list of libraries, its order and its length, and of what else is `seen` with it. */
export async function listTag(
  { clock, encoder }: Context,
  states: readonly LibraryState[],
  seen: unknown,
): Promise<string> {
  const now = clock();
  const digest = createHash('sha256').update(JSON.stringify([encoder.model, seen]));
  for (const state of states) {
    digest.update(JSON.stringify([...rowState(state, now), ...useState(state)]));
    if (turnIsOver()) await nextTurn();
  }
  return tagOf(digest);
}

/** Changes with the bytes of the manifest. */
export function manifestTag(row: LibraryRow): string {
  return `W/"${row.manifest_sha256}"`;
}

function rowState(
  {
    id,
    revision,
    changes,
    state,
    cover_sha256,
  }: Pick<LibraryRow, 'id' | 'revision' | 'changes' | 'state' | 'cover_sha256'>,
  now: number,
) {
  const renewal = cover_sha256 === null ? null : Math.floor(now / URL_RENEWAL);
  return [id, revision, changes, state, renewal];
}

function useState({ downloads, uses, favourite_since }: LibraryState) {
  return [Number(downloads), Number(uses), favourite_since !== null];
}

function tagOf(digest: Hash): string {
  return `W/"${digest.digest('base64url').slice(0, 22)}"`;
}
