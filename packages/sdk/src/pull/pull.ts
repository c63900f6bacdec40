import type { ManifestFile } from '@bindery/contract';
import { baseAfterPull, leftBehind, type PullOutcome } from '../base/base-after-pull.ts';
import { FolderRecordFile } from '../base/folder-record-file.ts';
import { EMPTY_BASE, type FolderRecord, rootFilesAmong, stateOf } from '../base/library-state.ts';
import { openCache } from '../cache/object-cache.ts';
import type { Client } from '../client/client.ts';
import type { RetryPolicy } from '../client/retry.ts';
import type { CreditsOptions, WrittenCredits } from '../credits/write-credits.ts';
import { ConflictError } from '../failures.ts';
import { formatLibraryAddress, type LibraryAddress } from '../library/library-address.ts';
import { digestOf, filesOf } from '../library/manifest.ts';
import { readRemoteLibrary } from '../library/manifest-cache.ts';
import { type RemoteLibrary, readHead, retryUntilStable } from '../library/read-library.ts';
import type { Mirror } from '../mirror/mirror.ts';
import { obtainFiles } from '../obtain/obtain.ts';
import { findOwnFiles, originOfContents, pruneFiles, wasDeletedHere } from '../place/plan.ts';
import { type FilesSetAside, removeExpired, SettingAside } from '../place/set-aside.ts';
import {
  recordHashes,
  removeOrphans,
  type TargetFile,
  totalOf,
  type WrittenFiles,
} from '../place/written-files.ts';
import { refuseCollisions, unsupportedPaths } from '../tree/collisions.ts';
import { compareWithFolder } from '../tree/compare.ts';
import { GuardedFolder } from '../tree/guarded-folder.ts';
import { HashCache } from '../tree/hash-cache.ts';
import { trustedPaths } from '../tree/names.ts';
import type { ProgressListener } from '../tree/progress.ts';
import { type Selection, selectArtifacts, selectAssets, selectFiles, selectIds } from './select-files.ts';

export interface PullOptions extends Selection {
  cacheFolder: string;
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
  /** Called once with the reason if the cache cannot be used. The pull goes on without it. */
  onCacheProblem?: ((message: string) => void) | undefined;
  /** The source of the files instead of the service, whose manifest still says what they are. */
  mirror?: Mirror | undefined;
  /** Write the credits of the selected assets into the folder. */
  credits?: CreditsOptions | undefined;
  /** For exchanges that are interrupted. */
  retry?: RetryPolicy | undefined;
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

export interface PullResult {
  library: string;
  revision: number;
  /** The real path of the folder. */
  folder: string;
  /** The ids that were pulled; null means the whole library. */
  assets: string[] | null;
  /** The digest of the selected user files, as search hits and `info` show it. */
  digest: string;
  fetched: { files: number; bytes: number };
  /** Files that this machine had, in its cache or in other folders. */
  cached: { files: number; bytes: number };
  /** How many files replaced different content. */
  replaced: number;
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
 * unchanged. Throws `IntegrityError`, `ConflictError`, `AssetNotFoundError`, `TreeError` and the client's errors.
 */
export async function pullLibrary(
  client: Client,
  address: LibraryAddress,
  target: string,
  options: PullOptions,
): Promise<PullResult> {
  const so: PullState = { written: new Map(), edited: new Set() };
  return retryUntilStable(() => pullRevision(client, address, target, options, so), options.signal);
}

/** What earlier attempts of a pull did, for revisions that have since been replaced. */
interface PullState {
  written: WrittenFiles;
  /** Paths of files that were edited here and replaced. */
  edited: Set<string>;
}

async function pullRevision(
  client: Client,
  address: LibraryAddress,
  target: string,
  options: PullOptions,
  { written, edited }: PullState,
): Promise<PullResult> {
  const library = formatLibraryAddress(address);
  const reading = readHead(client, address, options.signal);
  // `obtainFiles` sends two requests at once.
  client.preconnect();
  const head = await reading;
  const { row } = head;
  const remote = await readRemoteLibrary(client, address, head, {
    ...options,
    artifacts: (manifest) => selectArtifacts(manifest, options),
  });
  const wanted = selectFiles(library, remote.manifest, remote.artifacts, options);
  const refused = trustedPaths(wanted.keys());
  for (const path of refused) wanted.delete(path);
  const assets = selectIds(library, remote.manifest, options);
  const folder = GuardedFolder.openOrCreate(target);
  const cache = new HashCache(folder.root, options.cacheFolder);
  const objects = openCache(options);
  const memory = new FolderRecordFile(options.stateFolder, folder.root, client.baseUrl, address);
  try {
    const { same, different, missing, obstacles } = await compareWithFolder(
      folder,
      wanted.values(),
      cache,
      options,
    );
    if (obstacles[0] !== undefined) throw obstacles[0];
    const read = memory.read();
    const recorded = read !== null && read !== 'damaged';
    let record: FolderRecord = recorded ? read : { base: EMPTY_BASE };
    const { base } = record;
    const remember = (more: Partial<FolderRecord>) => {
      record = { ...record, ...more };
      memory.write(record);
    };
    const origin = originOfContents({ record, recorded, remote, written, objects });
    const { own, replaceable } = await findOwnFiles(folder, different, cache, origin, options);
    const kept = options.keep ? own : new Set<TargetFile>();
    const isAbsent = same.length + different.length === 0;
    const deleted = new Set(options.keep && !isAbsent ? missing.filter(wasDeletedHere(record)) : []);
    const replaced = different.filter((file) => !kept.has(file));
    const unsupported = unsupportedPaths(pathsOf(missing), folder.root);
    for (const path of unsupported) wanted.delete(path);
    const toObtain = [...replaced, ...missing].filter((file) => !deleted.has(file) && wanted.has(file.path));
    const crediting = options.credits && (await import('../credits/write-credits.ts'));
    crediting?.refuseForeignCredits(folder, wanted.keys());
    const setting = new SettingAside(folder, {
      unfinished: record.setAside,
      isElsewhere: origin.isElsewhere,
      onBegin: (name) => remember({ setAside: name }),
    });
    if (!options.force) folder.replaceOnly(replaceable, (path) => setting.setAside(path));
    const fetched = new Set<TargetFile>();
    if (toObtain.length > 0) {
      refuseCollisions(wanted.keys(), folder.root);
      const onBeforePlacing = () => {
        const arriving = toObtain.map(({ path, sha256 }): [string, string] => [path, sha256]);
        remember({ arriving: [...(record.arriving ?? []), ...arriving] });
        for (const file of replaced) if (recorded && own.has(file)) edited.add(file.path);
      };
      const obtaining = { ...options, folder, objects, missing: new Set(missing), written, onBeforePlacing };
      try {
        const transferred = await obtainFiles(client, address, row, toObtain, obtaining);
        for (const file of transferred) fetched.add(file);
      } finally {
        // After an interruption the next pull knows what is already there.
        recordHashes(cache, folder, written);
      }
    }
    folder.replaceAnything();
    removeOrphans(folder, written, wanted);
    const pulled: PullOutcome = {
      remote: stateOf(remote.manifest, rootFilesAmong(remote.artifacts.values())),
      selected: assets && new Set(assets),
      kept: new Set([...pathsOf([...kept, ...deleted]), ...refused, ...unsupported]),
      existsLocally: (path) => existsLocally(folder, path),
    };
    const pruned = options.prune
      ? await pruneFiles(folder, leftBehind(base, pulled), wanted.keys(), cache, origin, options)
      : [];
    const setAside = setting.finish();
    removeExpired(folder);
    remember({ base: baseAfterPull(base, pulled), arriving: [], setAside: undefined });
    return {
      library,
      revision: row.revision,
      folder: folder.root,
      assets,
      digest: digestOf(userFiles(remote, assets)),
      fetched: totalOf([...fetched]),
      cached: totalOf(toObtain.filter((file) => !fetched.has(file))),
      replaced: replaced.length,
      edited: [...edited],
      setAside,
      recorded,
      kept: pathsOf(kept),
      deleted: pathsOf(deleted),
      pruned,
      refused,
      unsupported,
      leftBehind: leftBehind(base, pulled),
      unchanged: totalOf(same),
      ...(crediting &&
        options.credits && {
          credits: crediting.writeCredits(
            folder,
            [
              {
                revision: crediting.creditedRevision(client.baseUrl, address, row),
                manifest: remote.manifest,
                assets: selectAssets(library, remote.manifest, options),
              },
            ],
            options.credits,
          ),
        }),
    };
  } finally {
    cache.save();
    folder.close();
  }
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

function userFiles({ manifest }: RemoteLibrary, ids: readonly string[] | null): ManifestFile[] {
  const selected = ids && new Set(ids);
  return [...filesOf(manifest.assets.filter(({ id }) => selected?.has(id) ?? true)).values()];
}
