import type { Manifest, ManifestAsset, ManifestFile } from '@bindery/contract';
import { compareUtf8 } from '@bindery/contract/wire';
import { canonicalJson, filesOf, manifestText } from '../library/manifest.ts';
import { findWithheld, type SkippedPath } from '../tree/skipped-paths.ts';
import { findRemovedMetadata, type RemovedMetadata } from './removed-metadata.ts';

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
