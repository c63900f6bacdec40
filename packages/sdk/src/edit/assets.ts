import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Manifest, ManifestAsset } from '@bindery/contract';
import { drawThumbnails, measureOnly } from '../artifacts/draw-thumbnails.ts';
import { prepareVectors } from '../artifacts/prepare-vectors.ts';
import { withReceipt } from '../artifacts/receipts.ts';
import { carryStatistics, withMissing } from '../artifacts/statistics.ts';
import {
  largePictures,
  type ThumbnailRenderer,
  type ThumbnailReport,
  withThumbnails,
} from '../artifacts/thumbnails.ts';
import type { EmbeddingModel } from '../artifacts/vectors.ts';
import type { LibraryClient } from '../client/call.ts';
import type { Client } from '../client/client.ts';
import { withoutAssets } from '../curation/edits.ts';
import { AssetNotFoundError, ConflictError, TreeError } from '../failures.ts';
import { formatLibraryAddress, type LibraryAddress } from '../library/library-address.ts';
import { findAsset } from '../library/manifest.ts';
import { ManifestCache } from '../library/manifest-cache.ts';
import { inReadingThread } from '../local-discovery/reading.ts';
import {
  drawnThumbnail,
  findUnstated,
  refuseConflictingFiles,
  withCarried,
  withoutUnusedArtifacts,
} from '../push/carry.ts';
import { findRemovedMetadata, freshContent, type RemovedMetadata } from '../push/plan.ts';
import { withHashes } from '../push/source.ts';
import { fileSource } from '../tree/files.ts';
import { HashCache } from '../tree/hash-cache.ts';
import { localHashes } from '../tree/hashing.ts';
import type { SkippedPath } from '../tree/skipped-paths.ts';
import { type EditOptions, type EditResult, editLibrary } from './edit-library.ts';

/** An edit from this machine, which caches the manifests that it reads. */
export interface LocalEditOptions extends Omit<EditOptions, 'manifests'> {
  cacheFolder: string;
}

export interface AddOptions extends LocalEditOptions {
  /** Replace the asset with this id, if there is one. */
  replace?: boolean | undefined;
  /** Files that open it in other ways, by the names of the ways. */
  entryPoints?: ManifestAsset['entryPoints'];
  /** Measures it, and draws its thumbnail if it comes without one. */
  renderer?: ThumbnailRenderer | undefined;
  /** Only measure it. */
  measuresOnly?: boolean | undefined;
  /** Make the vectors of its thumbnail and text, in addition to those that the library has by the same model. */
  model?: EmbeddingModel | undefined;
}

export interface AddResult extends EditResult {
  /** The asset as it is in the library. */
  asset: ManifestAsset;
  /** Null if none was requested. */
  thumbnails: ThumbnailReport | null;
  /** Texts and licences that the replaced asset had and this one does not. */
  removedMetadata: RemovedMetadata[];
  leftOut: SkippedPath[];
}

/**
 * Adds a folder or a file to a library as one asset. Throws `ConflictError` if the library has an asset with this id
 * that is not to be replaced, or another asset's file at one of its paths.
 */
export async function addAsset(
  client: Client,
  address: LibraryAddress,
  source: string,
  options: AddOptions,
): Promise<AddResult> {
  const { root, asset, leftOut } = await readAsset(source, options);
  const { renderer, measuresOnly, model } = options;
  const make = measuresOnly ? measureOnly : drawThumbnails;
  const drawn = renderer === undefined ? null : await make([asset], root, renderer, options);
  let added = asset;
  let removedMetadata: RemovedMetadata[] = [];
  const edited = await editLibrary(
    client,
    address,
    (before) => {
      const name = formatLibraryAddress(address);
      const placed = withAsset(before, asset, name, options.replace === true);
      const manifest = withThumbnails(placed, drawn);
      added = findAsset(manifest, asset.id) ?? asset;
      removedMetadata = findRemovedMetadata(before, manifest);
      return {
        manifest,
        // An asset may be replaced because it is damaged: then the library only seems to have its files.
        files: (options.replace ? asset.files : freshContent(manifest, before)).map((file) =>
          fileSource(file, join(root, file.path)),
        ),
        verify: options.replace,
        artifacts: [...(drawn?.sources.values() ?? [])],
        embed:
          model &&
          ((next, remote) =>
            prepareVectors(
              client,
              address,
              { ...next, root },
              remote,
              { model, assetId: asset.id },
              options,
            )),
        editCuration: (text) => withoutAssets(text, [asset.id]),
      };
    },
    { ...options, manifests: new ManifestCache(options.cacheFolder) },
  );
  return { ...edited, asset: added, thumbnails: drawn?.report ?? null, removedMetadata, leftOut };
}

/** Returns the asset, with its files below the name of the folder or file, and the folder that contains it. */
async function readAsset(
  source: string,
  options: AddOptions,
): Promise<{ root: string; asset: ManifestAsset; leftOut: SkippedPath[] }> {
  const place = realSource(source);
  const root = dirname(place);
  const { asset: found, findings, leftOut } = await inReadingThread(options, 'discoverAsset', place);
  const cache = new HashCache(place, options.cacheFolder);
  const hashes = await localHashes(root, found.files, cache, options);
  const { entryPoints } = options;
  const asset = withReceipt(withMissing(withHashes(found, hashes), findings), root);
  return { root, asset: { ...asset, ...(entryPoints && { entryPoints }) }, leftOut };
}

function realSource(source: string): string {
  if (statSync(source, { throwIfNoEntry: false }) === undefined) {
    throw new TreeError(`There is no folder or file ${source}.`);
  }
  const place = realpathSync(source);
  if (basename(place) === '') throw new TreeError(`${source} has no name that an asset could have.`);
  return place;
}

function withAsset(manifest: Manifest, asset: ManifestAsset, library: string, replace: boolean): Manifest {
  const earlier = findAsset(manifest, asset.id);
  if (!replace && earlier !== undefined) {
    throw new ConflictError(`${library} already has an asset ${asset.id}.`, [asset.id], {
      code: 'asset_exists',
    });
  }
  const others = manifest.assets.filter(({ id }) => id !== asset.id);
  refuseConflictingFiles([asset], others);
  const pictures = largePictures({ assets: [asset], origins: new Map() });
  const thumbnail = drawnThumbnail(asset, earlier, new Set(manifest.generated), pictures);
  const { assets: kept } = findUnstated({ assets: [asset] }, { assets: earlier ? [earlier] : [] }, {});
  const described = { ...withCarried(asset, kept.get(asset.id)), ...(thumbnail !== null && { thumbnail }) };
  const placed = carryStatistics(described, earlier);
  return withoutUnusedArtifacts({ ...manifest, assets: [...others, placed] }, manifest);
}

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
        throw new ConflictError(`This would leave nothing in ${library}; delete the library instead.`, [
          ...unwanted,
        ]);
      }
      return {
        manifest: withoutUnusedArtifacts({ ...manifest, assets }, manifest),
        files: [],
        editCuration: (text) => withoutAssets(text, [...unwanted]),
      };
    },
    { ...options, manifests: new ManifestCache(cacheFolder) },
  );
}
