import { createHash } from 'node:crypto';
import { LIMITS } from '@bindery/contract';
import type { LibraryRow, ReadableLibrary } from '../../access/libraries.ts';
import type { Context } from '../../context.ts';
import type { LibraryState } from './lists.ts';

/*
 * Entity tags are weak, because presigned URLs differ between responses. The tag of a response with a presigned URL
 * changes before the URL expires, so that no client caches an expired one.
 */
const URL_RENEWAL = (LIMITS.thumbnailTtl / 2) * 1_000;

/** Changes with every change of what `describeDetail` shows this viewer. */
export function detailTag({ clock, encoder }: Context, { row, viewerCanManage }: ReadableLibrary): string {
  return tagOf([encoder.model, rowState(row, clock()), viewerCanManage]);
}

/** Changes with every change of a list of libraries, its order and its length. */
export function listTag(
  { clock, encoder }: Context,
  states: readonly LibraryState[],
  viewerIsMember: boolean,
): string {
  const now = clock();
  return tagOf([encoder.model, viewerIsMember, ...states.map((state) => rowState(state, now))]);
}

/** Changes with the bytes of the manifest. */
export function manifestTag(row: LibraryRow): string {
  return `W/"${row.manifest_sha256}"`;
}

function rowState({ id, revision, changes, state, cover_sha256 }: LibraryState, now: number) {
  const renewal = cover_sha256 === null ? null : Math.floor(now / URL_RENEWAL);
  return [id, revision, changes, state, renewal];
}

function tagOf(state: unknown[]): string {
  const digest = createHash('sha256').update(JSON.stringify(state));
  return `W/"${digest.digest('base64url').slice(0, 22)}"`;
}
