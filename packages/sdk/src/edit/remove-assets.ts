import type { LibraryClient } from '../client/library-client.ts';
import { withoutAssets } from '../curation/index.ts';
import { AssetNotFoundError, ConflictError } from '../failures.ts';
import { formatLibraryAddress, type LibraryAddress } from '../library/library-address.ts';
import { findAsset } from '../library/manifest.ts';
import { ManifestCache } from '../library/manifest-cache.ts';
import { withoutUnusedThumbnails } from '../push/carry-artifacts.ts';
import type { LocalEditOptions } from './add-asset.ts';
import { type EditResult, editLibrary } from './edit-library.ts';

/**
 * Removes assets from a library. Throws `AssetNotFoundError` for ids that it does not have, and `ConflictError` if no
 * asset would be left.
 */
export function removeAssets(
  client: LibraryClient,
  address: LibraryAddress,
  ids: readonly string[],
  { cacheFolder, ...options }: LocalEditOptions,
): Promise<EditResult> {
  const library = formatLibraryAddress(address);
  const unwanted = new Set(ids);
  return editLibrary(
    client,
    address,
    (manifest) => {
      const unknown = [...unwanted].filter((id) => findAsset(manifest, id) === undefined);
      if (unknown.length > 0) throw new AssetNotFoundError(library, unknown);
      const assets = manifest.assets.filter(({ id }) => !unwanted.has(id));
      if (assets.length === 0) {
        throw new ConflictError(`this would leave nothing in ${library}; delete the library instead`, [
          ...unwanted,
        ]);
      }
      return {
        manifest: withoutUnusedThumbnails({ ...manifest, assets }),
        files: [],
        editCuration: (text) => withoutAssets(text, [...unwanted]),
      };
    },
    { ...options, manifests: new ManifestCache(cacheFolder) },
  );
}
