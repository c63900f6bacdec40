import type { ManifestFile } from '@bindery/contract';
import { baseAfterPull, leftBehind, type PullOutcome } from '../base/base-after-pull.ts';
import { EMPTY_BASE } from '../base/folder-record.ts';
import { FolderRecordFile } from '../base/folder-record-file.ts';
import { rootFilesAmong, stateOf } from '../base/library-state.ts';
import type { Client } from '../client/client.ts';
import type { RetryPolicy } from '../client/retry.ts';
import type { CreditsOptions, WrittenCredits } from '../credits/write-credits.ts';
import { ConflictError } from '../failures.ts';
import { formatLibraryAddress, type LibraryAddress } from '../library/library-address.ts';
import { digestOf, filesOf } from '../library/manifest.ts';
import { type RemoteLibrary, readHead } from '../library/read-library.ts';
import { readRemoteLibrary } from '../library/remote-library.ts';
import { retryUntilStable } from '../library/retry-until-stable.ts';
import type { Mirror } from '../mirror/mirror.ts';
import { refuseCollisions } from '../tree/collisions.ts';
import { compareWithFolder } from '../tree/compare.ts';
import { GuardedFolder } from '../tree/guarded-folder.ts';
import { HashCache } from '../tree/hash-cache.ts';
import type { ProgressListener } from '../tree/progress.ts';
import { editedFiles } from './edited-files.ts';
import { recordHashes, removeOrphans, type WrittenFiles } from './fetch-files.ts';
import { obtainFiles } from './obtain-files.ts';
import {
  type Selection,
  selectArtifacts,
  selectAssets,
  selectFiles,
  selectIds,
  type TargetFile,
  totalOf,
} from './select-files.ts';

export interface PullOptions extends Selection {
  cacheFolder: string;
  stateFolder: string;
  /**
   * Use files from this machine's cache and from folders of earlier pulls, and make downloaded files available to later
   * pulls: in the cache up to 64 MiB per pull, else in the target folder. On by default.
   */
  cache?: boolean | undefined;
  /** Leave files unchanged that differ from the library and were edited here. */
  keep?: boolean | undefined;
  /** Read every local file, whatever the cache says. */
  verify?: boolean | undefined;
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
  /** With `keep`, paths of files that were edited here and left unchanged. */
  kept: string[];
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
  const assets = selectIds(library, remote.manifest, options);
  const folder = GuardedFolder.openOrCreate(target);
  const cache = new HashCache(folder.root, options.cacheFolder);
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
    const remembered = read === null || read === 'damaged' ? { base: EMPTY_BASE } : read;
    const own = await editedFiles(folder, different, { remembered, written, cache }, options);
    const kept = options.keep ? own : new Set<TargetFile>();
    const replaced = different.filter((file) => !kept.has(file));
    const toObtain = [...replaced, ...missing];
    const crediting = options.credits && (await import('../credits/write-credits.ts'));
    crediting?.refuseForeignCredits(folder, wanted.keys());
    const fetched = new Set<TargetFile>();
    if (toObtain.length > 0) {
      refuseCollisions(wanted.keys(), folder.root);
      const onBeforePlacing = () => {
        const arriving = toObtain.map(({ path, sha256 }): [string, string] => [path, sha256]);
        memory.write({ ...remembered, arriving: [...(remembered.arriving ?? []), ...arriving] });
        for (const file of replaced) if (own.has(file)) edited.add(file.path);
      };
      const obtaining = { ...options, folder, missing: new Set(missing), written, onBeforePlacing };
      try {
        const transferred = await obtainFiles(client, address, row, toObtain, obtaining);
        for (const file of transferred) fetched.add(file);
      } finally {
        // After an interruption the next pull knows what is already there.
        recordHashes(cache, folder, written);
      }
    }
    removeOrphans(folder, written, wanted);
    const keptPaths = [...kept].map(({ path }) => path);
    const pulled: PullOutcome = {
      remote: stateOf(remote.manifest, rootFilesAmong(remote.artifacts.values())),
      selected: assets && new Set(assets),
      kept: new Set(keptPaths),
      existsLocally: (path) => existsLocally(folder, path),
    };
    memory.write({ ...remembered, base: baseAfterPull(remembered.base, pulled), arriving: [] });
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
      kept: keptPaths,
      leftBehind: leftBehind(remembered.base, pulled),
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
