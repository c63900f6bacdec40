import { hash } from 'node:crypto';
import type { Manifest, ManifestAsset, ManifestFile } from '@bindery/contract';
import { compareUtf8, effectiveLicense } from '@bindery/contract/wire';
import { withoutStatistics } from '../artifacts/statistics.ts';
import {
  EMPTY_BASE,
  type FolderRecord,
  findRevertedChanges,
  type LibraryState,
  type RevertedChange,
  rootFilesAmong,
  stateOf,
} from '../base/library-state.ts';
import { PushRefusedError, sentenceWithPaths } from '../failures.ts';
import { formatLibraryAddress, type LibraryAddress } from '../library/library-address.ts';
import { canonicalJson, filesOf, manifestText, writeManifest } from '../library/manifest.ts';
import type { LibraryHead, RemoteLibrary } from '../library/read-library.ts';
import { findWithheld, type SkippedPath } from '../tree/skipped-paths.ts';

/** What a push changes. Ids and paths are sorted by their UTF-8 bytes. */
export interface PushPlan {
  assets: { added: string[]; changed: string[]; removed: string[]; unchanged: number };
  files: { added: string[]; changed: string[]; removed: string[]; unchanged: number };
  /** Texts and licences that assets which stay, or the library, no longer have. */
  removedMetadata: RemovedMetadata[];
  /** Published files that a rule now leaves out of the folder, or that look like secrets. They are among those removed. */
  withheld: SkippedPath[];
  /** Content that the library does not have at any path yet, each counted once. */
  upload: { files: number; bytes: number };
  /** Whether there is nothing to do. */
  unchanged: boolean;
}

/** Compares two manifests; `remote` is null if the library does not exist. `leftOut` is what the folder leaves out. */
export function planPush(
  local: Manifest,
  remote: Manifest | null,
  leftOut: readonly SkippedPath[] = [],
): PushPlan {
  const before = remote === null ? new Map<string, ManifestFile>() : filesOf(remote.assets);
  const after = filesOf(local.assets);
  const fresh = freshContent(local, remote);
  const files = compare(before, after, (a, b) => a.sha256 === b.sha256);
  return {
    assets: compare(byId(remote?.assets ?? []), byId(local.assets), sameAsset),
    files,
    withheld: findWithheld(files.removed, leftOut),
    removedMetadata: remote === null ? [] : findRemovedMetadata(remote, local),
    upload: { files: fresh.length, bytes: fresh.reduce((sum, { size }) => sum + size, 0) },
    unchanged: remote !== null && sameManifest(local, remote),
  };
}

/** Returns one file for each content that the library does not have. */
export function freshContent(local: Manifest, remote: Manifest | null): ManifestFile[] {
  const held = new Set<string>();
  for (const { sha256 } of filesOf(remote?.assets ?? []).values()) held.add(sha256);
  const fresh = new Map<string, ManifestFile>();
  for (const file of filesOf(local.assets).values()) {
    if (!held.has(file.sha256)) fresh.set(file.sha256, file);
  }
  return [...fresh.values()];
}

/** Whether two manifests are the same apart from order and whitespace. */
function sameManifest(a: Manifest, b: Manifest): boolean {
  return sameJson(manifestText(a), manifestText(b));
}

function sameAsset(a: ManifestAsset, b: ManifestAsset): boolean {
  return sameJson(plain(a), plain(b));
}

/** Serialises an asset without undefined keys and with its files sorted. */
function plain(asset: ManifestAsset): string {
  return JSON.stringify({ ...asset, files: asset.files.toSorted((a, b) => compareUtf8(a.path, b.path)) });
}

/** Whether two JSON texts are the same apart from the order of keys. */
function sameJson(a: string, b: string): boolean {
  return a === b || (a.length === b.length && canonicalJson(JSON.parse(a)) === canonicalJson(JSON.parse(b)));
}

function byId(assets: readonly ManifestAsset[]): Map<string, ManifestAsset> {
  return new Map(assets.map((asset) => [asset.id, asset]));
}

function compare<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  same: (a: T, b: T) => boolean,
): { added: string[]; changed: string[]; removed: string[]; unchanged: number } {
  const added: string[] = [];
  const changed: string[] = [];
  let unchanged = 0;
  for (const [key, value] of after) {
    const earlier = before.get(key);
    if (earlier === undefined) added.push(key);
    else if (same(earlier, value)) unchanged++;
    else changed.push(key);
  }
  const removed = [...before.keys()].filter((key) => !after.has(key));
  return {
    added: added.sort(compareUtf8),
    changed: changed.sort(compareUtf8),
    removed: removed.sort(compareUtf8),
    unchanged,
  };
}

/** What people write about an asset. How it is opened (kind, entry) follows from its files instead. */
export const METADATA_KEYS = [
  'title',
  'description',
  'category',
  'tags',
  'license',
  'attribution',
  'upstream',
  'meta',
] as const;

/** Metadata that a push removes: keys such as `title`, `license` or `meta.mass`. */
export interface RemovedMetadata {
  /** The id of the asset; null for the library itself. */
  asset: string | null;
  keys: string[];
}

/** Returns the metadata that one revision states and the next does not, of the library and of assets that stay. */
export function findRemovedMetadata(before: Manifest, after: Manifest): RemovedMetadata[] {
  const next = new Map(after.assets.map((asset) => [asset.id, asset]));
  const ofLibrary = removedKeys(before.library ?? {}, after.library ?? {});
  const ofAssets = before.assets.flatMap((asset) => {
    const now = next.get(asset.id);
    if (now === undefined) return [];
    const keys = removedKeys(metadataOf(asset), metadataOf(now)).filter(
      // A licence that now stands in the library's block is not lost.
      (key) => key !== 'license' || effectiveLicense(now, after.library) !== asset.license,
    );
    return keys.length === 0 ? [] : [{ asset: asset.id, keys }];
  });
  return [...(ofLibrary.length === 0 ? [] : [{ asset: null, keys: ofLibrary }]), ...ofAssets];
}

function metadataOf(asset: ManifestAsset): Record<string, unknown> {
  return Object.fromEntries([
    ...METADATA_KEYS.flatMap((key) => (key === 'meta' ? [] : [[key, asset[key]]])),
    ...Object.entries(withoutStatistics(asset) ?? {}).map(([key, value]) => [`meta.${key}`, value]),
  ]);
}

function removedKeys(before: object, after: object): string[] {
  const now: Record<string, unknown> = { ...after };
  return Object.entries(before).flatMap(([key, value]) =>
    isStated(value) && !isStated(now[key]) ? [key] : [],
  );
}

function isStated(value: unknown): boolean {
  const isEmpty = value === '' || (Array.isArray(value) && value.length === 0);
  return value !== undefined && value !== null && !isEmpty;
}

/** Identifies one plan: the service, the library, the revision it follows, and every byte that would be published. */
export function planDigest(
  baseUrl: string,
  address: LibraryAddress,
  {
    head,
    manifest,
    newArtifacts,
  }: {
    head: LibraryHead | null;
    manifest: Manifest;
    newArtifacts: readonly Pick<ManifestFile, 'path' | 'sha256'>[];
  },
): string {
  const library = [baseUrl, formatLibraryAddress(address), head?.row.revision ?? 0];
  const artifacts = newArtifacts.map(({ path, sha256 }) => [path, sha256]);
  return hash('sha256', JSON.stringify([...library, hash('sha256', writeManifest(manifest)), artifacts]));
}

/**
 * Returns why a push needs `force`, or null: it would undo what others did since the folder was last in step with the
 * library or, if it never was, delete what others published.
 */
export function pushRefusal(
  local: { manifest: Manifest; rootFiles: LibraryState['rootFiles'] },
  remote: RemoteLibrary | null,
  remembered: FolderRecord | null | 'damaged',
): PushRefusedError | null {
  if (remote === null) return null;
  const library = formatLibraryAddress(remote.row);
  if (remembered === null)
    return deletionRefusal(planPush(local.manifest, remote.manifest).assets.removed, library);
  const here = stateOf(local.manifest, local.rootFiles);
  const there = stateOf(remote.manifest, rootFilesAmong(remote.artifacts.values()));
  return remembered === 'damaged'
    ? revertRefusal(findRevertedChanges(here, there, { base: EMPTY_BASE }), DAMAGED, library)
    : revertRefusal(findRevertedChanges(here, there, remembered), REMOTE_CHANGED, library);
}

const REMOTE_CHANGED =
  'Others changed the library since this folder was last in sync with it, and this push would undo their changes:';
const DAMAGED = 'The sync state of this folder is damaged, and this push might undo changes of others:';

function revertRefusal(
  undone: readonly RevertedChange[],
  sentence: string,
  library: string,
): PushRefusedError | null {
  if (undone.length === 0) return null;
  return new PushRefusedError(
    sentenceWithPaths(
      sentence,
      undone.map(({ item, change }) => `${item} (${EXPLAINED[change]})`),
    ),
    { items: undone.map(({ item }) => item), pullFirst: library },
  );
}

const EXPLAINED: Readonly<Record<RevertedChange['change'], string>> = {
  added: 'added there',
  changed: 'changed there',
  deleted: 'deleted there; a pull does not delete it here',
};

function deletionRefusal(removed: readonly string[], library: string): PushRefusedError | null {
  if (removed.length === 0) return null;
  return new PushRefusedError(
    sentenceWithPaths(
      'This folder was never in sync with the library, and this push would delete assets from it:',
      removed,
    ),
    { items: removed, pullFirst: library },
  );
}
