import type { ManifestFile } from '@bindery/contract';
import { compareUtf8 } from '@bindery/contract/wire';
import { FolderRecordFile } from '../base/folder-record-file.ts';
import type { Client } from '../client/client.ts';
import { formatLibraryAddress, type LibraryAddress } from '../library/library-address.ts';
import { ManifestCache, readSinceKept } from '../library/manifest-cache.ts';
import { areFewIds, readAssets } from '../library/read-assets.ts';
import { type LibraryHead, type RemoteLibrary, readHead, readLibrary } from '../library/read-library.ts';
import { type Selection, selectArtifacts, selectFiles, selectIds } from '../pull/select-files.ts';
import { compareWithFolder } from '../tree/compare.ts';
import { identityOf } from '../tree/file-identity.ts';
import { GuardedFolder } from '../tree/guarded-folder.ts';
import { HashCache } from '../tree/hash-cache.ts';
import { localHashes } from '../tree/hashing.ts';
import { trustedPaths } from '../tree/names.ts';
import type { ProgressListener } from '../tree/progress.ts';

export interface StatOptions extends Selection {
  cacheFolder: string;
  stateFolder: string;
  verify?: boolean | undefined;
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

export interface StatResult {
  library: string;
  /** The selected ids; null means the whole library. */
  assets: string[] | null;
  /** `absent`: the folder contains none of its files. */
  status: 'up-to-date' | 'stale' | 'absent';
  revision: number;
  /** What a pull would fetch: files that are missing, and files that differ. */
  files: number;
  bytes: number;
  missing: string[];
  different: string[];
  /** The same paths, and which side moved since the folder was last in step with the library. */
  moved: { path: string; how: Movement }[];
}

/** `differs`: the folder was never in step with the library there. */
export type Movement =
  | 'edited here'
  | 'deleted here'
  | 'changed there'
  | 'only there'
  | 'edited here and changed there'
  | 'deleted here and changed there'
  | 'differs';

/** Reports whether a folder matches the current state of a library or some of its assets. Writes only caches. */
export async function statLibrary(
  client: Client,
  address: LibraryAddress,
  target: string,
  options: StatOptions,
): Promise<StatResult> {
  const library = formatLibraryAddress(address);
  const head = await readHead(client, address, options.signal);
  const { manifest, artifacts } = await readFiles(client, address, head, options);
  const wanted = selectFiles(library, manifest, artifacts, options);
  for (const path of trustedPaths(wanted.keys())) wanted.delete(path);
  const folder = GuardedFolder.open(target);
  const cache = folder === null ? null : new HashCache(folder.root, options.cacheFolder);
  try {
    const { same, different, missing } = await compareWithFolder(folder, wanted.values(), cache, options);
    const toFetch = [...missing, ...different];
    const base =
      folder === null || toFetch.length === 0
        ? new Map<string, string>()
        : baseHashes(new FolderRecordFile(options.stateFolder, folder.root, client.baseUrl, address).read());
    const held = folder && cache ? await hashesOf(folder, different, cache, options) : new Map();
    return {
      library,
      assets: selectIds(library, manifest, options),
      status: statusOf(toFetch.length, same.length + different.length),
      revision: head.row.revision,
      files: toFetch.length,
      bytes: toFetch.reduce((sum, { size }) => sum + size, 0),
      missing: missing.map(({ path }) => path),
      different: different.map(({ path }) => path),
      moved: [
        ...missing.map((file) => ({ path: file.path, how: whyMissing(file, base) })),
        ...different.map((file) => ({ path: file.path, how: whyDifferent(file, base, held) })),
      ].sort((a, b) => compareUtf8(a.path, b.path)),
    };
  } finally {
    folder?.close();
  }
}

/** Reads what the library has of the selected files, from the service only what this machine does not know. */
async function readFiles(
  client: Client,
  address: LibraryAddress,
  head: LibraryHead,
  options: StatOptions,
): Promise<Pick<RemoteLibrary, 'manifest' | 'artifacts'>> {
  const { assets, all, signal } = options;
  const manifests = new ManifestCache(options.cacheFolder);
  const part = areFewIds(assets) && !all ? await readAssets(client, address, head, assets, { signal }) : null;
  return (
    part ??
    (all ? null : await readSinceKept(client, address, head, { manifests, signal })) ??
    readLibrary(client, address, head, {
      ...{ manifests, signal },
      artifacts: (manifest) => selectArtifacts(manifest, options),
    })
  );
}

/** Returns the SHA-256 of what the folder and the library had in common, by path. */
function baseHashes(record: ReturnType<FolderRecordFile['read']>): Map<string, string> {
  if (record === null || record === 'damaged') return new Map();
  const { assets, rootFiles } = record.base;
  return new Map([...rootFiles, ...[...assets.values()].flatMap(({ files }) => [...files])]);
}

function hashesOf(
  folder: GuardedFolder,
  files: readonly ManifestFile[],
  cache: HashCache,
  options: StatOptions,
): Promise<ReadonlyMap<string, string>> {
  const regular = files.flatMap(({ path }) => {
    const stats = folder.lstat(path);
    return stats?.isFile() ? [{ path, ...identityOf(stats) }] : [];
  });
  return localHashes(folder.root, regular, cache, options);
}

function whyMissing({ path, sha256 }: ManifestFile, base: ReadonlyMap<string, string>): Movement {
  const common = base.get(path);
  if (common === undefined) return 'only there';
  return common === sha256 ? 'deleted here' : 'deleted here and changed there';
}

function whyDifferent(
  { path, sha256 }: ManifestFile,
  base: ReadonlyMap<string, string>,
  held: ReadonlyMap<string, string>,
): Movement {
  const common = base.get(path);
  if (common === undefined) return 'differs';
  if (common === sha256) return 'edited here';
  return common === held.get(path) ? 'changed there' : 'edited here and changed there';
}

function statusOf(toFetch: number, present: number): StatResult['status'] {
  if (toFetch === 0) return 'up-to-date';
  return present === 0 ? 'absent' : 'stale';
}
