import { hash } from 'node:crypto';
import type { Manifest, ManifestAsset, ManifestFile } from '@bindery/contract';
import {
  CURATION_FILE,
  compareUtf8,
  effectiveLicense,
  manifestText,
  orderManifest,
  ROOT_FILES,
} from '@bindery/contract/wire';
import { writtenMeta } from '../artifacts/statistics.ts';
import {
  EMPTY_BASE,
  type FolderRecord,
  findRevertedChanges,
  type LibraryState,
  type RevertedChange,
  type RevertedFact,
  rootFilesAmong,
  stateOf,
} from '../base/library-state.ts';
import { PushRefusedError, sentenceWithPaths, TreeError } from '../failures.ts';
import { formatLibraryAddress, type LibraryAddress } from '../library/library-address.ts';
import { canonicalJson, filesOf } from '../library/manifest.ts';
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
  const fresh = freshContent(local, remote);
  const files = compare(
    filesOf(remote?.assets ?? []),
    filesOf(local.assets),
    (a, b) => a.sha256 === b.sha256,
  );
  const assets = compare(byId(remote?.assets ?? []), byId(local.assets), sameAsset);
  const isSame =
    remote !== null && [assets.added, assets.changed, assets.removed].every((ids) => ids.length === 0);
  return {
    assets,
    files,
    withheld: findWithheld(files.removed, leftOut),
    removedMetadata: remote === null ? [] : findRemovedMetadata(remote, local),
    upload: { files: fresh.length, bytes: fresh.reduce((sum, { size }) => sum + size, 0) },
    unchanged: isSame && sameManifest({ ...local, assets: [] }, { ...remote, assets: [] }),
  };
}

/** Returns one file for each content that the library does not have. */
export function freshContent(local: Manifest, remote: Manifest | null): ManifestFile[] {
  const before = filesOf(remote?.assets ?? []);
  const fresh = new Map<string, ManifestFile>();
  for (const file of filesOf(local.assets).values())
    if (before.get(file.path)?.sha256 !== file.sha256) fresh.set(file.sha256, file);
  for (const { sha256 } of before.values()) fresh.delete(sha256);
  return [...fresh.values()];
}

/** Whether two manifests are the same apart from order and whitespace. */
function sameManifest(a: Manifest, b: Manifest): boolean {
  return sameJson(manifestText(a), manifestText(b));
}

/** Whether two entries state the same, in whatever order. */
export function sameAsset(a: ManifestAsset, b: ManifestAsset): boolean {
  if (a === b) return true;
  const [{ files, ...said }, { files: others, ...saidToo }] = [a, b];
  const isSame = (file: ManifestFile, at: number) =>
    file.path === others[at]?.path && file.sha256 === others[at]?.sha256 && file.size === others[at]?.size;
  return files.length === others.length && files.every(isSame)
    ? sameJson(JSON.stringify(said), JSON.stringify(saidToo))
    : sameJson(plain(a), plain(b));
}

/** Returns a manifest in the order of its text, with the very entries of the library's where both state the same. */
export function asHeld(manifest: Manifest, held: Manifest): Manifest {
  const entries = byId(held.assets);
  const isSameLibrary = canonicalJson(held.library ?? {}) === canonicalJson(manifest.library ?? {});
  const assets = manifest.assets.map((asset) => {
    const entry = entries.get(asset.id);
    return entry !== undefined && sameAsset(entry, asset) ? entry : asset;
  });
  return orderManifest({ ...manifest, library: isSameLibrary ? held.library : manifest.library, assets });
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
    if (now === undefined || now === asset) return [];
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
    ...Object.entries(writtenMeta(asset) ?? {}).map(([key, value]) => [`meta.${key}`, value]),
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
    manifestSha256,
    newArtifacts,
  }: {
    head: LibraryHead | null;
    manifestSha256: string;
    newArtifacts: readonly Pick<ManifestFile, 'path' | 'sha256'>[];
  },
): string {
  const library = [baseUrl, formatLibraryAddress(address), head?.row.revision ?? 0];
  const artifacts = newArtifacts.map(({ path, sha256 }) => [path, sha256]);
  return hash('sha256', JSON.stringify([...library, manifestSha256, artifacts]));
}

/** What a push would undo of what others did since the folder was last in step with the library. */
export interface UndoneChanges {
  /** Why the push is refused; null if it is not, or if that is forced. */
  refusal: PushRefusedError | null;
  /** The changes that the refusal tells of. */
  told: RevertedFact[];
  /** What is forced. */
  overwritten: Overwritten[];
}

/** Something that others published and that a forced push replaces: an asset, or a file at the root. */
export type Overwritten = Pick<RevertedChange, 'item' | 'change'>;

/**
 * Compares what a push undoes with what is forced: everything, or items by name. An item is forced only over changes
 * that its person knows: the last pull has brought them, or a refused push told of them.
 */
export function findUndone(
  local: { manifest: Manifest; rootFiles: LibraryState['rootFiles'] },
  remote: RemoteLibrary | null,
  remembered: FolderRecord | null | 'damaged',
  force: boolean | readonly string[],
): UndoneChanges {
  const nothing: UndoneChanges = { refusal: null, told: [], overwritten: [] };
  if (remote === null) return nothing;
  const library = formatLibraryAddress(remote.row);
  const isNamed = (name: string) => force === true || (force !== false && force.includes(name));
  if (remembered === null) {
    const { removed } = planPush(local.manifest, remote.manifest).assets;
    return {
      ...nothing,
      refusal: deletionRefusal(
        removed.filter((id) => !isNamed(id)),
        library,
      ),
    };
  }
  const isDamaged = remembered === 'damaged';
  const held = new Set(remote.manifest.assets);
  const common = new Set(local.manifest.assets.filter((asset) => held.has(asset)));
  const different = ({ assets, generated }: Manifest) => ({
    assets: assets.filter((asset) => !common.has(asset)),
    generated,
  });
  const undone = findRevertedChanges(
    stateOf(different(local.manifest), local.rootFiles),
    stateOf(different(remote.manifest), rootFilesAmong(remote.artifacts.values())),
    isDamaged ? { base: EMPTY_BASE } : remembered,
  );
  const known = new Set(isDamaged ? [] : remembered.told?.map(factKey));
  const isForced = (fact: RevertedFact) =>
    force === true ||
    ((isNamed(fact.item) || isNamed(fact.path ?? CURATION_FILE)) &&
      (isDamaged || fact.isPulled || known.has(factKey(fact))));
  const stopping = undone
    .map((change) => ({ ...change, facts: change.facts.filter((fact) => !isForced(fact)) }))
    .filter(({ facts }) => facts.length > 0);
  return {
    refusal: revertRefusal(stopping, isDamaged ? DAMAGED : REMOTE_CHANGED, library),
    told: undone.flatMap(({ facts }) => facts),
    overwritten: undone
      .filter(({ facts }) => facts.some(isForced))
      .map(({ item, change }) => ({ item, change })),
  };
}

function factKey({ item, path, theirs }: RevertedFact): string {
  return JSON.stringify([item, path, theirs]);
}

/** Throws `TreeError` for the name of something that neither the folder nor the library has. */
export function refuseUnknownItems(force: boolean | readonly string[], manifests: readonly Manifest[]): void {
  if (typeof force === 'boolean') return;
  const names = new Set<string>(ROOT_FILES.values());
  for (const { id, files } of manifests.flatMap(({ assets }) => assets)) {
    names.add(id);
    for (const { path } of files) names.add(path);
  }
  for (const name of force)
    if (!names.has(name))
      throw new TreeError(`${name} is neither an asset nor a file of the folder or the library.`);
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
  const isPulled = undone.every(({ facts }) => facts.every((fact) => fact.isPulled));
  return new PushRefusedError(sentenceWithPaths(sentence, undone.map(describeUndone)), {
    items: undone.map(({ item }) => item),
    pullFirst: isPulled ? null : library,
    toMerge: isPulled ? undone.filter(({ change }) => change !== 'deleted').map(({ item }) => item) : [],
  });
}

function describeUndone({ item, change, facts }: RevertedChange): string {
  const isKept = change !== 'deleted' && facts.every(({ isPulled, theirs }) => isPulled && theirs !== null);
  return `${item} (${isKept ? 'changed there; the last pull kept yours, which has not been merged' : EXPLAINED[change]})`;
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
