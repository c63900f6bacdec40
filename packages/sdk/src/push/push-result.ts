import type { LibraryDetail, Visibility } from '@bindery/contract';
import { effectiveLicense } from '@bindery/contract/wire';
import type { DrawnThumbnails, ThumbnailReport } from '../artifacts/thumbnails.ts';
import type { EmbeddingReport } from '../artifacts/vectors.ts';
import { type AssetPreview, previewOf } from '../discovery/discovered-library.ts';
import { formatLibraryAddress, type LibraryAddress } from '../library/library-address.ts';
import type { SkippedPath } from '../tree/skipped-paths.ts';
import { type LostArtifacts, lostThumbnails } from './carry-artifacts.ts';
import { describeCarried } from './carry-metadata.ts';
import type { RevisionPlan } from './plan-revision.ts';
import type { PushPlan } from './push-plan.ts';
import type { PushSource } from './push-source.ts';

export interface PushResult extends PushPlan {
  library: string;
  status: 'published' | 'unchanged' | 'planned';
  /** The revision after the push. For a plan, the revision it was made against, 0 if there is no library. */
  revision: number;
  visibility: Visibility | null;
  /** Why a push of this plan would be refused, if it would. */
  refusal: string | null;
  leftOut: SkippedPath[];
  /** How many assets of the revision have no licence, neither their own nor that of the library. */
  unlicensed: number;
  /** What the assets of the folder will be, and why; null unless this is a plan. */
  preview: AssetPreview[] | null;
  /** Null if none were requested. */
  thumbnails: ThumbnailReport | null;
  /** Null if no vectors were requested. */
  embeddings: EmbeddingReport | null;
  /** How many assets lost their thumbnail or vectors because they changed and no new ones were requested. */
  lost: LostArtifacts;
  /** Paths of files that the service had lost and that were sent again. */
  replaced: string[];
  /** Problems found here or by the service that did not stop the push. */
  warnings: string[];
}

/**
 * Builds the result of a plan. `row` is the current library, `replaced` what the service had lost and was sent again.
 */
export function resultOf(
  status: PushResult['status'],
  address: LibraryAddress,
  { found }: PushSource,
  { changes, carried, unchanged, refusal, remote, manifest, drawn, vectors }: RevisionPlan,
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
    unlicensed: manifest.assets.filter((asset) => !effectiveLicense(asset, manifest.library)).length,
    preview: status === 'planned' ? previewOf(describeCarried(found, carried)) : null,
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

/** For a plan, adds the pictures that have yet to be drawn, which will be encoded too. */
function withPicturesToDraw(
  report: EmbeddingReport | null,
  drawn: DrawnThumbnails | null,
): EmbeddingReport | null {
  if (report === null) return null;
  const { encoded, reused } = report.images;
  return { ...report, images: { encoded: encoded + (drawn?.pending ?? 0), reused } };
}
