import { hash } from 'node:crypto';
import { effectiveLicense } from '@bindery/contract/wire';
import { baseAfterPull, type KeptFile, leftBehind, type PullOutcome } from '../base/base-after-pull.ts';
import { FolderRecordFile, pulledContentTest } from '../base/folder-record-file.ts';
import { EMPTY_BASE, type FolderRecord, rootFilesAmong, stateOf } from '../base/library-state.ts';
import { type ObjectCache, openCache } from '../cache/object-cache.ts';
import type { Client } from '../client/client.ts';
import type { CreditsOptions, WrittenCredits } from '../credits/write-credits.ts';
import type { CurationConflict } from '../curation/merge.ts';
import { ConflictError } from '../failures.ts';
import type { NumberedAddress } from '../library/library-address.ts';
import { digestOf, filesOf } from '../library/manifest.ts';
import { retryUntilStable } from '../library/read-library.ts';
import { obtainFiles } from '../obtain/obtain.ts';
import { type ContentOrigin, planFolder, removeUnedited } from '../place/plan.ts';
import { type FilesSetAside, removeExpired, SettingAside } from '../place/set-aside.ts';
import { type TargetFile, totalOf, WrittenFiles } from '../place/written-files.ts';
import type { RequiredSignature } from '../signatures/trusted-signers.ts';
import { refuseCollisions, unsupportedPaths } from '../tree/collisions.ts';
import { GuardedFolder } from '../tree/guarded-folder.ts';
import { HashCache } from '../tree/hash-cache.ts';
import { mergeEdited, type PendingMerge, readCuration, writeMerged } from './merge-curation.ts';
import { type PulledRevision, type RevisionOptions, readRevision, sourceOf } from './revision.ts';
import { selectAssets } from './select-files.ts';

/**
 * A pull caches at most this many bytes. Larger pulls would write every file twice, taking 1.5 times as long and twice
 * the space; later pulls find their files in the target folder instead.
 */
const MAX_CACHED_BYTES = 64 * 1024 * 1024;

export interface PullOptions extends RevisionOptions {
  stateFolder: string;
  /**
   * Use files from this machine's cache and from folders of earlier pulls, and make downloaded files available to later
   * pulls: in the cache up to 64 MiB per pull, else in the target folder. On by default.
   */
  cache?: boolean | undefined;
  /** Leave files unchanged that differ from the library and were edited here, and do not restore deleted ones. */
  keep?: boolean | undefined;
  /** Replace files without setting them aside. */
  force?: boolean | undefined;
  /** Delete files that the library no longer has and that were not edited here. */
  prune?: boolean | undefined;
  /** Read every local file and every used file of the cache, whatever their times say. */
  verify?: boolean | undefined;
  /** Refuse a library whose release nobody signed; with `signers`, one that none of them signed. */
  requireSigned?: RequiredSignature | undefined;
  /** Called once with the reason if the cache cannot be used. The pull goes on without it. */
  onCacheProblem?: ((message: string) => void) | undefined;
  /** Write the credits of the selected assets into the folder. */
  credits?: CreditsOptions | undefined;
}

export interface PullResult {
  library: string;
  revision: number;
  /** The real path of the folder. */
  folder: string;
  /** The ids that were pulled; null means the whole library. */
  assets: string[] | null;
  /** What to open of each pulled asset, relative to the folder, and its licence, else that of the library. */
  opened: { asset: string; entry: string | null; license: string | null }[];
  /** The digest of the selected user files, as search hits and `info` show it. */
  digest: string;
  fetched: { files: number; bytes: number };
  /** Files that this machine had, in its cache or in other folders. */
  cached: { files: number; bytes: number };
  /** Paths of files that replaced different content. */
  replaced: string[];
  /**
   * The `bindery.yml` that was edited here and merged with the library's, and what both had changed: of that it has the
   * folder's version with `keep`, else the library's. Null if nothing was to be merged, or could not be.
   */
  merged: { file: string; conflicts: CurationConflict[] } | null;
  /** Paths of replaced files that had been edited here since the folder was last in step with the library. */
  edited: string[];
  /** Replaced files whose contents were neither in the library nor in the cache; null if there are none. */
  setAside: FilesSetAside | null;
  /** Whether this machine knows what pulls and pushes left in the folder, and so what was edited since. */
  recorded: boolean;
  /** With `keep`, paths of files that were edited here, or might have been, and left unchanged. */
  kept: string[];
  /** With `keep`, paths of files that were deleted here and not restored. */
  deleted: string[];
  /** With `prune`, paths of the files that were deleted because the library no longer has them. */
  pruned: string[];
  /** Paths of files that were not placed, because other programs run or trust what is there. */
  refused: string[];
  /** Paths of files that were not placed, because the file system of the folder does not allow their names. */
  unsupported: string[];
  /** Paths that the library had when the folder was last in step with it and no longer has, but that are still here. */
  leftBehind: string[];
  unchanged: { files: number; bytes: number };
  /** The credits that were written; absent if none were requested. */
  credits?: WrittenCredits;
}

/**
 * Makes a folder match one revision of a library, or of some of its assets. Files with the right content are not
 * fetched, every fetched byte is verified before it becomes visible, and everything that is not in the manifest stays
 * unchanged. Throws `IntegrityError`, `SignatureRefusedError`, `ConflictError`, `AssetNotFoundError`, `TreeError` and the client's errors.
 */
export async function pullLibrary(
  client: Client,
  address: NumberedAddress,
  target: string,
  options: PullOptions,
): Promise<PullResult> {
  const earlier: EarlierAttempts = { written: new WrittenFiles(), edited: new Set() };
  return retryUntilStable(async () => {
    // Only the service knows when a revision was published, which credits say.
    const verify = options.verify || options.credits !== undefined;
    // A service tells single assets on its word alone; only the whole manifest is what was signed.
    const whole = options.whole || options.requireSigned !== undefined;
    const read = await readRevision(client, address, { ...options, verify, whole });
    if (options.requireSigned) await requireSignedManifest(client, read, options.requireSigned, options);
    const folder = GuardedFolder.openOrCreate(target);
    const hashes = new HashCache(folder.root, options.cacheFolder);
    try {
      const memory = new FolderRecordFile(options.stateFolder, folder.root, client.baseUrl, address);
      const known = memory.read();
      const recorded = known !== null && known !== 'damaged';
      const record = recorded ? known : { base: EMPTY_BASE };
      // Where the files are that the assets no longer have, only the whole manifest tells.
      const revision = hasLostFiles(record, read)
        ? await readRevision(client, address, { ...options, verify, whole: true })
        : read;
      const cache = openCache(options);
      return await pullInto({ folder, hashes, memory, recorded, record, revision, cache, earlier, options });
    } finally {
      hashes.save();
      folder.close();
    }
  }, options.signal);
}

async function requireSignedManifest(
  client: Client,
  { address, remote }: PulledRevision,
  { signers }: RequiredSignature,
  options: PullOptions,
): Promise<void> {
  const { readSignatureLog } = await import('../signatures/read-log.ts');
  const { requireSignature } = await import('../signatures/require-signature.ts');
  const { log } = await readSignatureLog(client.baseUrl, address, async () => client, options);
  requireSignature(log, { release: address.release, manifestSha256: remote.manifestSha256 }, signers);
}

/** What attempts of a pull did, for revisions that have since been replaced. */
interface EarlierAttempts {
  written: WrittenFiles;
  /** Paths of files that were edited here and replaced. */
  edited: Set<string>;
}

/** Whether only part of a manifest was read, and the folder had files of these assets that they no longer have. */
function hasLostFiles({ base }: FolderRecord, { remote, assets }: PulledRevision): boolean {
  if (!remote.isPart) return false;
  const paths = filesOf(remote.manifest.assets);
  return (assets ?? []).some((id) =>
    [...(base.assets.get(id)?.files.keys() ?? [])].some((path) => !paths.has(path)),
  );
}

/** A pull of a revision into a folder, and what was known of that before. */
interface Pull {
  folder: GuardedFolder;
  hashes: HashCache;
  memory: FolderRecordFile;
  /** Whether there was a record; an empty one stands for none. */
  recorded: boolean;
  record: FolderRecord;
  revision: PulledRevision;
  cache: ObjectCache | null;
  earlier: EarlierAttempts;
  options: PullOptions;
}

/** What a pull is to do to its folder. */
type PullPlan = Awaited<ReturnType<typeof planPull>>;

/** Makes the folder match the revision, and records what both then have in common. */
async function pullInto(pull: Pull): Promise<PullResult> {
  const { folder, hashes, memory, recorded, record, revision, earlier, options } = pull;
  const { client, address, library, row, remote, wanted } = revision;
  const origin = originOfContents(pull);
  const plan = await planPull(pull, origin);
  const { merge } = plan;
  const crediting = options.credits && (await import('../credits/write-credits.ts'));
  crediting?.refuseForeignCredits(folder, wanted.keys());
  const setting = new SettingAside(folder, {
    unfinished: record.setAside,
    isElsewhere: origin.isElsewhere,
    onBegin: (name) => memory.update({ setAside: name }),
  });
  if (!options.force) setting.guard(new Map([...plan.replaceable, ...(merge?.replaceable ?? [])]));
  const fetched = await obtainPlanned(pull, plan);
  if (merge !== null) writeMerged(folder, merge);
  folder.replaceAnything();
  earlier.written.removeOrphans(folder, wanted);
  const pulled = outcomeOf(pull, plan);
  const left = () => leftBehind(record.base, pulled);
  const pruned = options.prune
    ? (await removeUnedited(folder, left(), wanted.keys(), hashes, origin, options)).removed
    : [];
  const setAside = setting.finish();
  removeExpired(folder);
  memory.update({
    ...baseAfterPull(record, pulled),
    arriving: [],
    setAside: undefined,
    ...(revision.assets === null && {
      curation: merge?.theirs ?? readCuration(folder)?.text,
      earlierCuration: plan.unfinished === null ? undefined : merge?.base,
    }),
  });
  const { manifest } = remote;
  const assets = selectAssets(library, manifest, options);
  const held = crediting && {
    revision: crediting.creditedRevision(client.baseUrl, address, row),
    manifest,
    assets,
  };
  const credits = held && options.credits && crediting.writeCredits(folder, [held], options.credits);
  return {
    library,
    revision: row.revision,
    folder: folder.root,
    assets: revision.assets,
    opened: assets.map((asset) => ({
      asset: asset.id,
      entry: asset.entry ?? null,
      license: effectiveLicense(asset, manifest.library),
    })),
    digest: digestOf([...filesOf(assets).values()]),
    fetched: totalOf([...fetched]),
    cached: totalOf(plan.toObtain.filter((file) => !fetched.has(file))),
    replaced: pathsOf(plan.replaced),
    merged: merge && { file: merge.file.path, conflicts: merge.conflicts },
    edited: [...earlier.edited],
    setAside,
    recorded,
    kept: pathsOf(plan.kept.keys()),
    deleted: pathsOf(plan.deleted),
    pruned,
    refused: revision.refused,
    unsupported: plan.unsupported,
    leftBehind: left(),
    unchanged: totalOf(plan.same),
    ...(credits && { credits }),
  };
}

/** Compares the folder with the revision, from which it takes away what the folder cannot hold. */
async function planPull({ folder, hashes, record, revision, options }: Pull, origin: ContentOrigin) {
  const { wanted } = revision;
  const found = await planFolder(folder, wanted.values(), hashes, origin, options);
  const { same, different, missing, own } = found;
  const merge = options.force ? null : await mergeEdited(folder, revision, own.keys(), record, options);
  const kept = new Map(options.keep ? [...own].filter(([file]) => file !== merge?.file) : []);
  const isAbsent = same.length + different.length === 0;
  const deleted = new Set(options.keep && !isAbsent ? missing.filter(wasDeletedHere(record)) : []);
  const replaced = different.filter((file) => !kept.has(file) && file !== merge?.file);
  const unsupported = unsupportedPaths(pathsOf(missing), folder.root);
  for (const path of unsupported) wanted.delete(path);
  const toObtain = [...replaced, ...missing].filter((file) => !deleted.has(file) && wanted.has(file.path));
  const unfinished = unfinishedMerge(merge, options);
  return { ...found, merge, unfinished, kept, deleted, replaced, unsupported, toObtain };
}

/** Returns the files that had to be transferred. */
async function obtainPlanned(
  { folder, hashes, memory, recorded, record, revision, cache, earlier, options }: Pull,
  { missing, own, replaced, toObtain }: PullPlan,
): Promise<ReadonlySet<TargetFile>> {
  if (toObtain.length === 0) return new Set();
  refuseCollisions(revision.wanted.keys(), folder.root);
  const { written, edited } = earlier;
  try {
    const transferred = await obtainFiles(toObtain, sourceOf(revision, options), {
      ...options,
      folder,
      cache,
      missing,
      written,
      maxCachedBytes: MAX_CACHED_BYTES,
      onBeforePlacing() {
        const arriving = toObtain.map(({ path, sha256 }): [string, string] => [path, sha256]);
        memory.update({ arriving: [...(record.arriving ?? []), ...arriving] });
        for (const file of replaced) if (recorded && own.has(file)) edited.add(file.path);
      },
    });
    return new Set(transferred);
  } finally {
    // After an interruption the next pull knows what is already there.
    written.recordHashes(hashes, folder);
  }
}

function outcomeOf(
  { folder, revision: { remote, assets, refused } }: Pull,
  { unfinished, kept, deleted, unsupported }: PullPlan,
): PullOutcome {
  return {
    remote: stateOf(remote.manifest, rootFilesAmong(remote.artifacts.values())),
    selected: assets && new Set(assets),
    kept: new Map([
      ...[...kept].map(([{ path }, here]): [string, KeptFile] => [path, { here }]),
      ...[...deleted].map(({ path }): [string, KeptFile] => [path, { here: null }]),
      ...(unfinished === null ? [] : [unfinished]),
    ]),
    unplaced: new Set([...refused, ...unsupported]),
    existsLocally: (path) => existsLocally(folder, path),
  };
}

/** Where contents can be found elsewhere, and which ones pulls left in the folder. */
function originOfContents({ record, recorded, revision: { remote }, earlier, cache }: Pull): ContentOrigin {
  const wasPulled = pulledContentTest(record);
  const isOurs = (path: string, sha256: string) =>
    wasPulled(path, sha256) || earlier.written.holds({ path, sha256 });
  const files = [...filesOf(remote.manifest.assets).values(), ...remote.artifacts.values()];
  const inLibrary = new Set(files.map(({ sha256 }) => sha256));
  return {
    isInStep: recorded ? isOurs : null,
    isElsewhere: (path, content) =>
      inLibrary.has(content.sha256) ||
      isOurs(path, content.sha256) ||
      (cache !== null && cache.find(content) !== null),
  };
}

/** Returns a test of whether a missing file was once in step with the library, and so was deleted here since. */
function wasDeletedHere({ base, arriving = [] }: FolderRecord): (file: TargetFile) => boolean {
  const unfinished = new Set(arriving.map(([path]) => path));
  const paths = new Set(base.rootFiles.keys());
  for (const { files } of base.assets.values()) for (const path of files.keys()) paths.add(path);
  return ({ path }) => paths.has(path) && !unfinished.has(path);
}

/** With `keep`, a merge with conflicts remains to be finished by the person. */
function unfinishedMerge(merge: PendingMerge | null, { keep }: PullOptions): [string, KeptFile] | null {
  if (!keep || merge === null || merge.conflicts.length === 0) return null;
  const base = merge.base === '' ? null : hash('sha256', merge.base);
  return [merge.file.path, { here: merge.sha256, base }];
}

function pathsOf(files: Iterable<TargetFile>): string[] {
  return [...files].map(({ path }) => path);
}

/** Whether a push of the folder might publish something at the path. */
function existsLocally(folder: GuardedFolder, path: string): boolean {
  try {
    return folder.lstat(path)?.isDirectory() === false;
  } catch (error) {
    if (error instanceof ConflictError) return false;
    throw error;
  }
}
