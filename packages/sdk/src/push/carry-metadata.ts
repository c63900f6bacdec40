import { hash } from 'node:crypto';
import type { Manifest, ManifestAsset, ManifestLibrary } from '@bindery/contract';
import { SOURCE_CURATION_PATH } from '@bindery/contract/wire';
import type { LibraryClient } from '../client/call.ts';
import { ApiError } from '../client/errors.ts';
import { type Curation, parseCuration } from '../curation/curation.ts';
import { CURATION_BYTES } from '../curation/edits.ts';
import type { DiscoveredLibrary } from '../discovery/discovered-library.ts';
import { isLicenseFile, isReadme } from '../discovery/metadata/documents.ts';
import { CurationError } from '../failures.ts';
import type { LibraryAddress } from '../library/library-address.ts';
import { downloadArtifacts, type RemoteLibrary } from '../library/read-library.ts';
import { METADATA_KEYS } from './removed-metadata.ts';

/** What a folder takes from its library, since nothing in the folder states it. */
export interface CarriedMetadata {
  library: ManifestLibrary;
  /** By asset id. */
  assets: ReadonlyMap<string, Partial<ManifestAsset>>;
}

export const NO_METADATA: CarriedMetadata = { library: {}, assets: new Map() };

/**
 * Returns the metadata of the library that no `bindery.yml` states, its own or that of the folder: a client that writes
 * manifests has set it. What its own `bindery.yml` states and the folder's does not was removed by the folder's author;
 * the same goes for metadata of an asset that has lost a file from which it may have been derived.
 */
export async function findCarriedMetadata(
  client: LibraryClient,
  address: LibraryAddress,
  { local, curation }: { local: Manifest; curation: DiscoveredLibrary['curation'] },
  remote: RemoteLibrary,
  signal: AbortSignal | undefined,
): Promise<CarriedMetadata> {
  const candidates = findUnstated(local, remote.manifest, {});
  if (isNothing(candidates)) return NO_METADATA;
  const stated = await readCuration(client, address, { local: curation, remote }, signal);
  return stated === null ? NO_METADATA : findUnstated(local, remote.manifest, stated);
}

/** Returns the folder's manifest with what it takes from its library. */
export function withCarriedMetadata(local: Manifest, { library, assets }: CarriedMetadata): Manifest {
  const whole = { ...library, ...local.library };
  return {
    ...local,
    ...(Object.keys(whole).length === 0 ? {} : { library: whole }),
    assets: local.assets.map((asset) => ({ ...asset, ...assets.get(asset.id) })),
  };
}

/** Returns what was found in the folder with what it takes from its library, and where that comes from. */
export function describeCarried(
  found: DiscoveredLibrary,
  { library, assets }: CarriedMetadata,
): DiscoveredLibrary {
  const origins = new Map(found.origins);
  for (const [id, metadata] of assets) {
    const from = Object.keys(metadata).map((key) => [key, 'the library']);
    origins.set(id, { ...origins.get(id), ...Object.fromEntries(from) });
  }
  return {
    ...found,
    library: { ...library, ...found.library },
    assets: found.assets.map(({ files, ...asset }) => ({ ...asset, ...assets.get(asset.id), files })),
    origins,
  };
}

/** Returns what the remote manifest says about assets and the library, the local one does not, and `stated` neither. */
export function findUnstated(
  local: Pick<Manifest, 'assets' | 'library'>,
  remote: Pick<Manifest, 'assets' | 'library'>,
  stated: Curation,
): CarriedMetadata {
  const earlier = new Map(remote.assets.map((asset) => [asset.id, asset]));
  const common = local.assets.flatMap((asset) => {
    const before = earlier.get(asset.id);
    return before !== undefined && shareFile(asset, before) ? [{ asset, before }] : [];
  });
  if (common.length === 0) return NO_METADATA;
  const assets = common.flatMap(({ asset, before }): [string, Partial<ManifestAsset>][] => {
    if (hasLostDescription(asset, before)) return [];
    const own = { ...stated.defaults, ...stated.assets?.[asset.id] };
    const metadata = pickUnstated(before, asset, own, METADATA_KEYS);
    return Object.keys(metadata).length === 0 ? [] : [[asset.id, metadata]];
  });
  const { library = {} } = remote;
  const keys = Object.keys(library) as (keyof ManifestLibrary)[];
  return {
    library: pickUnstated(library, local.library ?? {}, stated.library ?? {}, keys),
    assets: new Map(assets),
  };
}

function pickUnstated<T extends object>(
  before: T,
  after: T,
  stated: Partial<Record<keyof T, unknown>>,
  keys: readonly (keyof T)[],
): Partial<T> {
  const picked: Partial<T> = {};
  for (const key of keys) {
    if (before[key] !== undefined && after[key] === undefined && stated[key] === undefined)
      picked[key] = before[key];
  }
  return picked;
}

function isNothing({ library, assets }: CarriedMetadata): boolean {
  return assets.size === 0 && Object.keys(library).length === 0;
}

/** Assets without a common file are different things under one name. */
function shareFile(asset: ManifestAsset, before: ManifestAsset): boolean {
  const paths = new Set(asset.files.map(({ path }) => path));
  return before.files.some(({ path }) => paths.has(path));
}

/** Whether a file that metadata is derived from was changed or removed. Models are edited all the time, and seldom for that. */
function hasLostDescription(asset: ManifestAsset, before: ManifestAsset): boolean {
  const now = new Map(asset.files.map(({ path, sha256 }) => [path, sha256]));
  return before.files.some(({ path, sha256 }) => describesAssets(path) && now.get(path) !== sha256);
}

function describesAssets(path: string): boolean {
  return (
    isLicenseFile(path) || isReadme(path) || /(?:^|\/)(?:package\.xml|model\.config|[^/]*\.json)$/i.test(path)
  );
}

/** Returns the library's `bindery.yml`, empty if it has none; null if it cannot be read, so that it may state anything. */
async function readCuration(
  client: LibraryClient,
  address: LibraryAddress,
  { local, remote }: { local: Uint8Array | null; remote: RemoteLibrary },
  signal: AbortSignal | undefined,
): Promise<Curation | null> {
  const held = remote.artifacts.get(SOURCE_CURATION_PATH);
  if (held === undefined) return {};
  if (held.size > CURATION_BYTES) return null;
  try {
    const isOwn = local !== null && hash('sha256', local) === held.sha256;
    const bytes = isOwn
      ? local
      : (await downloadArtifacts(client, address, [held], signal)).get(SOURCE_CURATION_PATH);
    return parseCuration(new TextDecoder().decode(bytes)).curation;
  } catch (error) {
    if (error instanceof CurationError || error instanceof ApiError) return null;
    throw error;
  }
}
