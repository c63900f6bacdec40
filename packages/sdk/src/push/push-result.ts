import type { LibraryDetail, Visibility } from '@bindery/contract';
import type { EmbeddingReport } from '../artifacts/embedding-report.ts';
import type { DrawnThumbnails, ThumbnailReport } from '../artifacts/thumbnails.ts';
import { type AssetPreview, previewOf } from '../discovery/preview.ts';
import { formatLibraryAddress, type LibraryAddress } from '../library/address.ts';
import type { LeftOut } from '../tree/left-out.ts';
import { type LostArtifacts, lostThumbnails } from './carry-artifacts.ts';
import type { PushPlan } from './plan.ts';
import type { RevisionPlan } from './plan-revision.ts';
import type { PushSource } from './push-source.ts';

export interface PushResult extends PushPlan {
  library: string;
  status: 'published' | 'unchanged' | 'planned';
  /** The revision after the push; of a plan, the one that it was made against, 0 where there is no library. */
  revision: number;
  visibility: Visibility | null;
  /** What a push of this plan would stop for, if anything. */
  refusal: string | null;
  leftOut: LeftOut[];
  /** What the assets of the folder will be, and why; null of a push that was carried out. */
  preview: AssetPreview[] | null;
  /** Null where none were asked for. */
  thumbnails: ThumbnailReport | null;
  /** Null where nothing was to be embedded. */
  embeddings: EmbeddingReport | null;
  /** Assets that lost what was drawn and encoded of them, because they changed and nothing new was asked for. */
  lost: LostArtifacts;
  /** Paths of files that the service had lost and was sent again. */
  replaced: string[];
  /** What was found amiss, here or by the service, and was no reason to stop. */
  warnings: string[];
}

/** What became of a plan. `row` is the library as it is now, `replaced` what the service had lost and was sent again. */
export function resultOf(
  status: PushResult['status'],
  address: LibraryAddress,
  { found }: PushSource,
  { changes, unchanged, refusal, remote, manifest, drawn, vectors }: RevisionPlan,
  row: LibraryDetail | undefined,
  replaced: string[] = [],
): PushResult {
  return {
    library: formatLibraryAddress(address),
    status,
    revision: row?.revision ?? 0,
    visibility: row?.visibility ?? null,
    ...changes,
    unchanged,
    refusal: refusal?.message ?? null,
    leftOut: found.leftOut,
    preview: status === 'planned' ? previewOf(found) : null,
    thumbnails: drawn?.report ?? null,
    embeddings: status === 'planned' ? withPicturesToDraw(vectors.report, drawn) : vectors.report,
    lost: {
      thumbnails: remote === null ? 0 : lostThumbnails(remote.manifest, manifest),
      vectors: vectors.lost,
    },
    replaced,
    warnings: [...found.warnings, ...vectors.warnings, ...(row?.warnings ?? [])],
  };
}

/** A plan: pictures that are still to be drawn will be encoded too. */
function withPicturesToDraw(
  report: EmbeddingReport | null,
  drawn: DrawnThumbnails | null,
): EmbeddingReport | null {
  if (report === null) return null;
  const { encoded, reused } = report.images;
  return { ...report, images: { encoded: encoded + (drawn?.pending ?? 0), reused } };
}
