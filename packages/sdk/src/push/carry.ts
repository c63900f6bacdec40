import { hash } from 'node:crypto';
import type { Manifest, ManifestAsset, ManifestFile, ManifestLibrary } from '@bindery/contract';
import {
  CERTIFICATES_FOLDER,
  ROOT_FILES,
  SOURCE_CURATION_PATH,
  THUMBNAILS_FOLDER,
} from '@bindery/contract/wire';
import { certificatePaths, certificatesOf } from '../artifacts/certificates.ts';
import { carryStatistics, writtenMeta } from '../artifacts/statistics.ts';
import { type AuthorsPictures, largePictures } from '../artifacts/thumbnails.ts';
import type { LibraryClient } from '../client/call.ts';
import { ApiError } from '../client/errors.ts';
import { type Curation, parseCuration } from '../curation/curation.ts';
import { CURATION_BYTES } from '../curation/edits.ts';
import type { DiscoveredLibrary } from '../discovery/discovered-library.ts';
import { isLicenseFile, isReadme } from '../discovery/metadata/documents.ts';
import { ConflictError, CurationError, sentenceWithPaths } from '../failures.ts';
import type { LibraryAddress } from '../library/library-address.ts';
import { filesOf, sameFiles } from '../library/manifest.ts';
import { downloadFiles, type RemoteLibrary } from '../library/read-library.ts';
import { METADATA_KEYS, sameAsset } from './plan.ts';
import type { PushSource } from './source.ts';

/** What a folder takes from its library, since nothing in the folder states it. */
export interface CarriedMetadata {
  library: ManifestLibrary;
  /** By asset id. */
  assets: ReadonlyMap<string, Partial<ManifestAsset>>;
}

const NO_METADATA: CarriedMetadata = { library: {}, assets: new Map() };

/**
 * Returns a folder's manifest with what it leaves to its library. Of that, `carried` is metadata that no `bindery.yml`
 * states, the library's own or that of the folder: a client that writes manifests has set it. What its own
 * `bindery.yml` states and the folder's does not was removed by the folder's author; the same goes for metadata of an
 * asset that has lost a file from which it may have been derived.
 */
export async function carryOver(
  client: LibraryClient,
  address: LibraryAddress,
  { found, local }: Pick<PushSource, 'found' | 'local'>,
  remote: RemoteLibrary | null,
  signal: AbortSignal | undefined,
): Promise<{ local: Manifest; carried: CarriedMetadata }> {
  if (remote === null) return { local, carried: NO_METADATA };
  let carried = findUnstated(local, remote.manifest, {});
  if (!isNothing(carried)) {
    const stated = await readCuration(client, address, { local: found.curation, remote }, signal);
    carried = stated === null ? NO_METADATA : findUnstated(local, remote.manifest, stated);
  }
  const described = withCarriedMetadata(local, carried);
  return { local: carryDrawn(described, remote.manifest, largePictures(found)), carried };
}

/** Returns the folder's manifest with what it takes from its library. */
function withCarriedMetadata(local: Manifest, { library, assets }: CarriedMetadata): Manifest {
  const whole = { ...library, ...local.library };
  return {
    ...local,
    ...(Object.keys(whole).length === 0 ? {} : { library: whole }),
    assets: local.assets.map((asset) => withCarried(asset, assets.get(asset.id))),
  };
}

/** Returns an asset with metadata that it takes from its library, whose `meta` is joined with what was found missing. */
export function withCarried(asset: ManifestAsset, carried: Partial<ManifestAsset> = {}): ManifestAsset {
  const joined = carried.meta && { ...carried, meta: { ...asset.meta, ...carried.meta } };
  return { ...asset, ...(joined ?? carried) };
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
    if (before === undefined) return [];
    const isSame = sameFiles(asset, before);
    return isSame || shareFile(asset, before) ? [{ asset, before, isSame }] : [];
  });
  if (common.length === 0) return NO_METADATA;
  const assets = common.flatMap(({ asset, before, isSame }): [string, Partial<ManifestAsset>][] => {
    if (!isSame && hasLostDescription(asset, before)) return [];
    const own = { ...stated.defaults, ...stated.assets?.[asset.id] };
    const written = { ...before, meta: writtenMeta(before) };
    const metadata = pickUnstated(written, { ...asset, meta: writtenMeta(asset) }, own, METADATA_KEYS);
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
      : (await downloadFiles(client, address, [held], signal)).get(SOURCE_CURATION_PATH);
    return parseCuration(new TextDecoder().decode(bytes)).curation;
  } catch (error) {
    if (error instanceof CurationError || error instanceof ApiError) return null;
    throw error;
  }
}

/** How many assets lost artifacts. */
export interface LostArtifacts {
  thumbnails: number;
  vectors: number;
}

/**
 * Carries over the drawn thumbnails of assets whose files have not changed, also those made of their large `pictures`,
 * what was measured of them, and certificates. Assets that have not changed are the very entries of the library.
 */
function carryDrawn(local: Manifest, remote: Manifest, pictures: AuthorsPictures): Manifest {
  const stored = new Set(remote.generated);
  const earlier = new Map(remote.assets.map((asset) => [asset.id, asset]));
  const generated = new Set(local.generated);
  const assets = local.assets.map((asset) => {
    const before = earlier.get(asset.id);
    const measured = carryStatistics(asset, before);
    for (const path of certificatesOf(asset, before, stored)) generated.add(path);
    const thumbnail = drawnThumbnail(asset, before, stored, pictures);
    if (thumbnail !== null) generated.add(thumbnail);
    const carried = thumbnail === null ? measured : { ...measured, thumbnail };
    return before !== undefined && sameAsset(before, carried) ? before : carried;
  });
  return { ...local, assets, ...(generated.size > 0 ? { generated: [...generated] } : {}) };
}

/** Returns how many assets had a drawn thumbnail before and have none after. */
export function lostThumbnails(before: Manifest, after: Manifest): number {
  const drawn = new Set(before.generated);
  const without = new Set(after.assets.flatMap(({ id, thumbnail }) => (thumbnail === undefined ? [id] : [])));
  return before.assets.filter(({ id, thumbnail }) => thumbnail && drawn.has(thumbnail) && without.has(id))
    .length;
}

/** Returns the manifest without drawn thumbnails that no asset uses, and without certificates of other files. */
export function withoutUnusedArtifacts(manifest: Manifest, earlier: Manifest): Manifest {
  const stored = new Set(earlier.generated);
  const before = new Map(earlier.assets.map((asset) => [asset.id, asset]));
  const used = new Set<string | undefined>(
    manifest.assets.flatMap((asset) => [
      asset.thumbnail,
      ...certificatesOf(asset, before.get(asset.id), stored),
    ]),
  );
  const isOfAsset = (path: string) =>
    [THUMBNAILS_FOLDER, CERTIFICATES_FOLDER].some((folder) => path.startsWith(folder));
  const generated = manifest.generated?.filter((path) => !isOfAsset(path) || used.has(path));
  return { ...manifest, ...(generated === undefined ? {} : { generated }) };
}

/** Divides the platform artifacts of a manifest into new ones to send and those that the library keeps. */
export function divideArtifacts<T extends ManifestFile>(
  { generated = [] }: Manifest,
  made: readonly T[],
  remote: Pick<RemoteLibrary, 'artifacts'> | null,
): { fresh: T[]; kept: ManifestFile[] } {
  const held = remote?.artifacts ?? new Map<string, ManifestFile>();
  const fresh = made.filter(({ path, sha256 }) => held.get(path)?.sha256 !== sha256);
  const sent = new Set(fresh.map(({ path }) => path));
  const kept = generated.flatMap((path) => (sent.has(path) ? [] : (held.get(path) ?? [])));
  return { fresh, kept };
}

/**
 * Returns the thumbnail that was drawn of an asset if its files are the same and it has no thumbnail of its own, or one
 * of the large `pictures`, which a drawn thumbnail replaces; else null.
 */
export function drawnThumbnail(
  asset: ManifestAsset,
  earlier: ManifestAsset | undefined,
  stored: ReadonlySet<string>,
  pictures: AuthorsPictures,
): string | null {
  const drawn = earlier?.thumbnail;
  if (earlier === undefined || drawn === undefined || !stored.has(drawn)) return null;
  if (asset.thumbnail !== undefined && !pictures.has(asset.id)) return null;
  return sameFiles(asset, earlier) ? drawn : null;
}

/**
 * Returns the folder's manifest with the assets that only the library has, their drawn thumbnails and the library's
 * root files added. Throws `ConflictError` if both have different files at one path.
 */
export function mergeRemoteAssets(local: Manifest, remote: Manifest): Manifest {
  const own = new Set(local.assets.map(({ id }) => id));
  const others = remote.assets.filter(({ id }) => !own.has(id));
  refuseConflictingFiles(local.assets, others);
  const shown = new Set<string | undefined>(others.map(({ thumbnail }) => thumbnail));
  for (const { id } of others) for (const path of certificatePaths(id)) shown.add(path);
  const kept = remote.generated?.filter((path) => shown.has(path) || ROOT_FILES.has(path)) ?? [];
  const generated = [...new Set([...(local.generated ?? []), ...kept])];
  const library = local.library ?? remote.library;
  return {
    ...local,
    ...(library && { library }),
    assets: [...local.assets, ...others],
    ...(generated.length > 0 && { generated }),
  };
}

/** Throws `ConflictError` if `assets` have different files at paths of `others`. */
export function refuseConflictingFiles(assets: Manifest['assets'], others: Manifest['assets']): void {
  const taken = filesOf(others);
  const paths = [...filesOf(assets).values()]
    .filter(({ path, sha256 }) => (taken.get(path)?.sha256 ?? sha256) !== sha256)
    .map(({ path }) => path);
  if (paths.length === 0) return;
  throw new ConflictError(
    sentenceWithPaths('Other assets of the library have different files at these paths:', paths),
    paths,
  );
}
