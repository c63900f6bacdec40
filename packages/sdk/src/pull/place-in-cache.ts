import type { Manifest, ManifestAsset, ManifestFile } from '@bindery/contract';
import { DEFAULT_KIND, effectiveLicense } from '@bindery/contract/wire';
import { openCache } from '../cache/object-cache.ts';
import type { Client } from '../client/client.ts';
import type { LibraryAddress } from '../library/library-address.ts';
import { findAsset } from '../library/manifest.ts';
import { type RemoteLibrary, retryUntilStable } from '../library/read-library.ts';
import { assetTree } from '../library/shared-records.ts';
import { obtainFiles, type Source } from '../obtain/obtain.ts';
import { placeAllCached } from '../place/place-cached.ts';
import { Placer } from '../place/placer.ts';
import { totalOf, WrittenFiles } from '../place/written-files.ts';
import { refuseCollisions } from '../tree/collisions.ts';
import { compareWithFolder } from '../tree/compare.ts';
import { GuardedFolder } from '../tree/guarded-folder.ts';
import { HashCache } from '../tree/hash-cache.ts';
import type { PullOptions } from './pull.ts';
import { type PulledRevision, readRevision, sourceOf } from './revision.ts';

export type PlaceInCacheOptions = Pick<
  PullOptions,
  'cacheFolder' | 'cache' | 'verify' | 'mirror' | 'onCacheProblem' | 'signal' | 'progress'
>;

/** What a manifest says of an asset, for whoever takes it elsewhere. */
export interface DescribedAsset {
  /** Its own, else that of the library. */
  license: string | null;
  attribution: string | null;
  category: string | null;
  /** What it is in Wikidata, such as `Q42177`, by its `meta.qcode`. */
  qcode: string | null;
}

/** An asset whose files are all in the cache of this machine, at the paths that they have in the library. */
export interface CachedAsset extends DescribedAsset {
  library: string;
  revision: number;
  /** The folder of the library's revision. */
  folder: string;
  kind: string;
  format: string | undefined;
  /** The file that opens the asset, as a path in the library; null if it names none and has several files. */
  entry: string | null;
  files: ManifestFile[];
  fetched: { files: number; bytes: number };
}

/**
 * Makes the cache hold the files of an asset in a folder of their revision, which the Python package shares. They are read-only, and links to cached objects where the file system has links. Throws
 * what `pullLibrary` throws.
 */
export async function placeInCache(
  client: Client,
  address: LibraryAddress,
  asset: string,
  options: PlaceInCacheOptions,
): Promise<CachedAsset> {
  const selecting = { ...options, assets: [asset] };
  const written = new WrittenFiles();
  return retryUntilStable(async () => {
    const revision = await readRevision(client, address, selecting);
    const { library, row, remote, wanted } = revision;
    const found = { library, server: client.baseUrl, revision: row.revision, ...remote, wanted };
    return placeRevision(found, sourceOf(revision, selecting), asset, written, options);
  }, options.signal);
}

/** Makes the cache hold an asset of a revision that was read; what it lacks comes from `source`. */
export async function placeRevision(
  {
    library,
    server,
    revision,
    manifest,
    manifestSha256,
    wanted,
  }: { server: string } & Pick<CachedAsset, 'library' | 'revision'> &
    Pick<PulledRevision, 'wanted'> &
    Pick<RemoteLibrary, 'manifest' | 'manifestSha256'>,
  source: Source,
  asset: string,
  written: WrittenFiles,
  options: PlaceInCacheOptions,
): Promise<CachedAsset> {
  const folder = GuardedFolder.openOrCreate(assetTree(options.cacheFolder, server, manifestSha256));
  const hashes = new HashCache(folder.root, options.cacheFolder);
  try {
    const { different, missing } = await compareWithFolder(folder, wanted.values(), hashes, options);
    const lacking = [...different, ...missing];
    const cache = openCache(options);
    const placing = { ...options, folder, cache, missing, written, link: true };
    if (lacking.length > 0) refuseCollisions(wanted.keys(), folder.root);
    const fetched = lacking.length === 0 ? [] : await obtainFiles(lacking, source, placing);
    if (cache !== null)
      await placeAllCached(fetched, cache, new Placer(folder, placing), { ...options, link: true });
    written.recordHashes(hashes, folder);
    const files = [...wanted.values()];
    const [only] = files;
    const found = findAsset(manifest, asset);
    return {
      library,
      revision,
      folder: folder.root,
      kind: found?.kind ?? DEFAULT_KIND,
      format: found?.format,
      ...describedBy(found ?? {}, manifest.library),
      entry: found?.entry ?? (files.length === 1 ? only?.path : undefined) ?? null,
      files,
      fetched: totalOf(fetched),
    };
  } finally {
    hashes.save();
    folder.close();
  }
}

type Describing = Pick<ManifestAsset, 'license' | 'attribution' | 'category' | 'meta'>;

export function describedBy(asset: Describing, library: Manifest['library']): DescribedAsset {
  return {
    license: effectiveLicense(asset, library),
    attribution: asset.attribution ?? null,
    category: asset.category ?? null,
    qcode: qcodeOf(asset.meta?.qcode),
  };
}

function qcodeOf(said: unknown): string | null {
  return typeof said === 'string' && /^Q[0-9]+$/.test(said) ? said : null;
}
