import { createHash, type Hash } from 'node:crypto';
import { basename } from 'node:path/posix';
import { LIMITS, type LibraryDetail, type LibrarySummary } from '@bindery/contract';
import type { LibraryRow, ReadableLibrary } from '../../access/libraries.ts';
import type { Context } from '../../context.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { requiredChecks } from '../proposals/checks.ts';
import type { LibraryState } from './lists.ts';

/** A library as an entry of a list. */
export function describeSummary(
  { objects, encoder, thumbnailUrls }: Context,
  { row, namespace }: Pick<ReadableLibrary, 'row' | 'namespace'>,
  withSrcset = false,
): LibrarySummary {
  return {
    namespace,
    name: row.name,
    type: row.type,
    title: row.title,
    description: row.description,
    provider: row.provider,
    license: row.license,
    tags: JSON.parse(row.tags),
    revision: row.revision,
    assetCount: row.asset_count,
    fileCount: row.file_count,
    totalBytes: row.total_bytes,
    categories: JSON.parse(row.categories),
    kinds: JSON.parse(row.kinds),
    licenses: JSON.parse(row.licenses),
    visibility: row.visibility,
    semantic: isSemantic(encoder.model, row),
    vectorsDim: row.vectors_dim,
    coverThumbUrl: presignCover(objects, row),
    ...(withSrcset && {
      coverThumbSrcset: coverSrcset(thumbnailUrls, row),
      thumbnailSrcsets: thumbnailSrcsets(thumbnailUrls, row),
    }),
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  };
}

/** A library in full, with its share token for viewers who manage it. */
export function describeDetail(context: Context, library: ReadableLibrary): LibraryDetail {
  const { row, viewerCanManage } = library;
  return {
    ...describeSummary(context, library),
    homepage: row.homepage,
    upstreamRepo: row.upstream_repo,
    upstreamCommit: row.upstream_commit,
    indexRevision: null,
    viewerCanManage,
    ...(viewerCanManage && {
      shareToken: row.share_token,
      cover: row.cover_asset,
      requiredChecks: requiredChecks(row),
    }),
  };
}

function presignCover(objects: Context['objects'], row: LibraryRow): string | null {
  if (row.cover_sha256 === null || row.cover_path === null) return null;
  const object = { storeId: row.store_id, sha256: row.cover_sha256 };
  return objects.presignGet(object, basename(row.cover_path), LIMITS.thumbnailTtl);
}

function coverSrcset(urls: Context['thumbnailUrls'], { store_id, cover_sha256 }: LibraryRow): string | null {
  return cover_sha256 === null ? null : urls.srcset({ storeId: store_id, sha256: cover_sha256 });
}

/** None if somebody chose the one picture that stands for the library. */
function thumbnailSrcsets(
  urls: Context['thumbnailUrls'],
  { store_id, cover_asset, thumbnails, manifest_sha256 }: LibraryRow,
): string[] {
  const [of, ...hashes] = JSON.parse(thumbnails ?? '[]') as string[];
  if (cover_asset !== null || of !== manifest_sha256) return [];
  return hashes.map((sha256) => urls.srcset({ storeId: store_id, sha256 }));
}

/** Which vectors a library has: none if both are null, those of an unknown model if only the model is null. */
export type LibraryVectors = Pick<LibraryRow, 'vectors_model' | 'vectors_dim'>;

/** Whether a search of a library with such vectors would use them now. */
export function isSemantic(
  activeModel: string | null,
  { vectors_model, vectors_dim }: LibraryVectors,
): boolean {
  return activeModel !== null && vectors_model === activeModel && vectors_dim === LIMITS.embedding.dimensions;
}

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
