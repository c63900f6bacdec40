import { loadLibrary, type RevisionAddress } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { MaintenanceContext } from '../../context.ts';
import { ServiceError } from '../../errors.ts';
import { openRevision } from '../../objects/open-revision.ts';
import type { AssetCard, AssetRemainder } from '../../revision/asset-table.ts';
import type { ClosureFile } from '../../revision/file-closure.ts';

export interface AssetInspection {
  revision: number;
  /** `license` is the effective one. */
  card: AssetCard;
  remainder: Omit<AssetRemainder, 'license'>;
  /** The requested page of its files, in manifest order. */
  files: ClosureFile[];
}

/** Returns the metadata of an asset and a page of its files, without presigned URLs. Throws `asset_not_found`. */
export async function inspectAsset(
  context: MaintenanceContext,
  viewer: Viewer,
  { assetId, ...address }: RevisionAddress & { assetId: string },
  { offset, limit }: { offset: number; limit: number },
): Promise<AssetInspection> {
  const library = await loadLibrary(context.db, viewer, address);
  const { row, index } = await openRevision(context, library.row);
  const number = index.indexOfAsset(assetId);
  if (number < 0) throw new ServiceError('asset_not_found', 'The library has no asset with this id.');
  const { license: _own, ...remainder } = index.remainder(number);
  const places = index.filesOf(number).subarray(offset, offset + limit);
  return {
    revision: row.revision,
    card: index.card(number),
    remainder,
    files: Array.from(places, (place) => index.files.at(place)),
  };
}
