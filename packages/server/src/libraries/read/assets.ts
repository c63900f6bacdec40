import { type AssetDetail, clampTtl, LIMITS, type PresignedFile } from '@bindery/contract';
import type { NumberedAddress, RevisionRow } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { Context, MaintenanceContext } from '../../context.ts';
import { assetNotFound } from '../../errors.ts';
import { openRevision } from '../../objects/open-revision.ts';
import type { AssetCard, AssetRemainder } from '../../revision/asset-table.ts';
import type { ClosureFile } from '../../revision/file-closure.ts';
import type { RevisionIndex } from '../../revision/revision-index.ts';
import { presignFile, presignUrl } from './files.ts';
import { loadRevision } from './revisions.ts';

/** An asset and, separately, its files. There may be hundreds of thousands, so they are generated one at a time. */
interface AssetReading {
  asset: Omit<AssetDetail, 'files'>;
  fileCount: number;
  files: Iterable<PresignedFile>;
}

/** An asset of a revision: its number in the revision's index. */
export interface OpenedAsset {
  namespace: string;
  row: RevisionRow;
  index: RevisionIndex;
  number: number;
}

/** Resolves a client's address to an asset that the viewer can read. Throws `not_found`, `asset_not_found`. */
export async function loadAsset(
  context: MaintenanceContext,
  viewer: Viewer,
  { assetId, ...address }: NumberedAddress & { assetId: string },
): Promise<OpenedAsset> {
  const library = await loadRevision(context, viewer, address);
  const { row, index } = await openRevision(context, library.row);
  const number = index.indexOfAsset(assetId);
  if (number < 0) throw assetNotFound();
  return { namespace: library.namespace, row, index, number };
}

/** Returns the whole manifest entry of an asset with a presigned URL per file. */
export function readAsset(
  context: Context,
  { row, index, number }: OpenedAsset,
  { ttlSeconds: asked, srcset }: { ttlSeconds?: number | undefined; srcset?: 'true' | 'false' },
): AssetReading {
  const ttlSeconds = clampTtl(asked);
  const { files: _counted, digest: _digest, assetId: id, ...shown } = index.card(number);
  const thumbnail = index.thumbnail(number);
  const places = index.filesOf(number);
  return {
    asset: {
      id,
      ...shown,
      ...index.remainder(number),
      ttlSeconds,
      thumbnailUrl: thumbnail && presignUrl(context.objects, row.store_id, thumbnail, LIMITS.thumbnailTtl),
      ...(srcset === 'true' && {
        thumbnailSrcset:
          thumbnail && context.thumbnailUrls.srcset({ storeId: row.store_id, sha256: thumbnail.sha256 }),
      }),
    },
    fileCount: places.length,
    files: presignAll(context.objects, row.store_id, index, places, ttlSeconds),
  };
}

interface AssetInspection {
  revision: number;
  /** `license` is the effective one. */
  card: AssetCard;
  remainder: Omit<AssetRemainder, 'license'>;
  /** The requested page of its files, in manifest order. */
  files: ClosureFile[];
}

/** Returns the metadata of an asset and a page of its files, without presigned URLs. */
export function inspectAsset(
  { row, index, number }: OpenedAsset,
  { offset, limit }: { offset: number; limit: number },
): AssetInspection {
  const { license: _own, ...remainder } = index.remainder(number);
  const places = index.filesOf(number).subarray(offset, offset + limit);
  return {
    revision: row.revision,
    card: index.card(number),
    remainder,
    files: Array.from(places, (place) => index.files.at(place)),
  };
}

function* presignAll(
  objects: Context['objects'],
  storeId: string,
  { files }: RevisionIndex,
  places: Uint32Array,
  ttlSeconds: number,
): Generator<PresignedFile> {
  for (const place of places) yield presignFile(objects, storeId, files.at(place), ttlSeconds);
}
