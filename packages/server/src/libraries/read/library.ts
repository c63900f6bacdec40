import { basename } from 'node:path/posix';
import { LIMITS, type LibraryDetail, type LibrarySummary } from '@bindery/contract';
import type { LibraryRow, ReadableLibrary } from '../../access/libraries.ts';
import type { Context } from '../../context.ts';

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
    ...(withSrcset ? { coverThumbSrcset: coverSrcset(thumbnailUrls, row) } : {}),
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
    ...(viewerCanManage ? { shareToken: row.share_token, cover: row.cover_asset } : {}),
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

/** Which vectors a library has: none if both are null, those of an unknown model if only the model is null. */
export type LibraryVectors = Pick<LibraryRow, 'vectors_model' | 'vectors_dim'>;

/** Whether a search of a library with such vectors would use them now. */
export function isSemantic(
  activeModel: string | null,
  { vectors_model, vectors_dim }: LibraryVectors,
): boolean {
  return activeModel !== null && vectors_model === activeModel && vectors_dim === LIMITS.embedding.dimensions;
}
