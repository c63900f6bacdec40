import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '@bindery/contract';
import type { MadeCertificates } from '../artifacts/certificates.ts';
import { certifyAssets } from '../artifacts/certify-assets.ts';
import { drawThumbnails, measureOnly } from '../artifacts/draw-thumbnails.ts';
import { prepareVectors } from '../artifacts/prepare-vectors.ts';
import { withReceipt } from '../artifacts/receipts.ts';
import {
  type AuthorsPictures,
  type DrawnThumbnails,
  largePictures,
  withoutPictures,
} from '../artifacts/thumbnails.ts';
import { discoverFolder } from '../local-discovery/discover-folder.ts';
import { type DiscoveredFolder, refuseEmptyLibrary } from '../local-discovery/discover-library.ts';
import { fileSource } from '../tree/files.ts';
import { HashCache } from '../tree/hash-cache.ts';
import { EarlyHashes, localHashes } from '../tree/hashing.ts';
import type { ScannedFile } from '../tree/scan.ts';
import { buildManifest, type PushOptions, type PushSource, rootFilesOf } from './source.ts';

/** A folder on this machine. */
export interface FolderSource extends PushSource {
  found: DiscoveredFolder;
}

/** Reads and hashes a folder. Throws `TreeError` and `CurationError` for problems in it. */
export async function readFolder(folder: string, options: PushOptions): Promise<FolderSource> {
  const { found, cache } = await discoverAndHash(folder, options);
  refuseEmptyLibrary(found, folder);
  const draws = options.renderer !== undefined && options.measuresOnly !== true;
  const pictures: AuthorsPictures = draws ? largePictures(found) : new Map();
  return {
    found,
    local: withoutPictures(await readLocal(found, cache, options), pictures),
    rootFiles: rootFilesOf({
      curation: found.curation,
      readme: found.readme && readFileSync(join(found.root, found.readme.path)),
    }),
    generatesArtifacts:
      options.certifier !== undefined || options.renderer !== undefined || options.model !== undefined,
    certify: certifyOnce(found, options),
    draw: drawOnce(found.root, { ...options, pictures }),
    embed: (client, address, next, remote) =>
      prepareVectors(
        client,
        address,
        { ...next, root: found.root },
        remote,
        options.model === undefined ? null : { model: options.model },
        options,
      ),
    open: (file) => fileSource(file, join(found.root, file.path)),
  };
}

/** Finds the assets of a folder. Its files are hashed meanwhile, as far as time allows. */
async function discoverAndHash(
  folder: string,
  options: PushOptions,
): Promise<{ found: DiscoveredFolder; cache: HashCache }> {
  let hashing: { cache: HashCache; hashes: EarlyHashes | null } | undefined;
  const onExamining = (root: string, files: readonly ScannedFile[]) => {
    const cache = new HashCache(root, options.cacheFolder);
    hashing = { cache, hashes: options.verify ? null : EarlyHashes.start(root, files, cache) };
  };
  try {
    const found = await discoverFolder(folder, { ...options, onExamining });
    return { found, cache: hashing?.cache ?? new HashCache(found.root, options.cacheFolder) };
  } finally {
    await hashing?.hashes?.finish(hashing.cache);
  }
}

async function readLocal(found: DiscoveredFolder, cache: HashCache, options: PushOptions): Promise<Manifest> {
  const files = [
    ...new Map(found.assets.flatMap((asset) => asset.files).map((file) => [file.path, file])).values(),
  ];
  cache.keepOnly(new Set(files.map(({ path }) => path)));
  const manifest = buildManifest(found, await localHashes(found.root, files, cache, options));
  return { ...manifest, assets: manifest.assets.map((asset) => withReceipt(asset, found.root)) };
}

/** Simulates robots once, as a second attempt to push has the same. */
function certifyOnce(found: DiscoveredFolder, options: PushOptions): PushSource['certify'] {
  const { certifier } = options;
  let made: Promise<MadeCertificates> | undefined;
  return async ({ assets }) => {
    if (certifier === undefined) return null;
    const accepted = new Set<string>(found.acceptedCodes);
    made ??= certifyAssets(assets, found.root, certifier, { ...options, accepted });
    return made;
  };
}

/** Draws or measures once: a second attempt to push has the same folder. */
function drawOnce(root: string, options: PushOptions & { pictures: AuthorsPictures }): PushSource['draw'] {
  const { renderer, measuresOnly = false, drawsWhenPlanned = false } = options;
  const dryRun = options.dryRun && !drawsWhenPlanned;
  let drawn: Promise<DrawnThumbnails> | undefined;
  return async ({ assets }, carried) => {
    if (renderer === undefined) return null;
    drawn ??= measuresOnly
      ? measureOnly(carried.assets, root, renderer, { ...options, dryRun })
      : drawThumbnails(assets, root, renderer, { ...options, dryRun });
    return drawn;
  };
}
