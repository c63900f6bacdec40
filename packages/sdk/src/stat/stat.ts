import type { Client } from '../client/client.ts';
import { formatLibraryAddress, type LibraryAddress } from '../library/library-address.ts';
import { readHead } from '../library/read-library.ts';
import { readRemoteLibrary } from '../library/remote-library.ts';
import { type Selection, selectArtifacts, selectFiles, selectIds } from '../pull/select-files.ts';
import { compareWithFolder } from '../tree/compare.ts';
import { GuardedFolder } from '../tree/guarded-folder.ts';
import { HashCache } from '../tree/hash-cache.ts';
import type { ProgressListener } from '../tree/progress.ts';
import { trustedPaths } from '../tree/trusted-names.ts';

export interface StatOptions extends Selection {
  cacheFolder: string;
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
}

/** Reports whether a folder matches the current state of a library or some of its assets. Writes only caches. */
export async function statLibrary(
  client: Client,
  address: LibraryAddress,
  target: string,
  options: StatOptions,
): Promise<StatResult> {
  const library = formatLibraryAddress(address);
  const head = await readHead(client, address, options.signal);
  const { manifest, artifacts } = await readRemoteLibrary(client, address, head, {
    ...options,
    artifacts: (read) => selectArtifacts(read, options),
  });
  const wanted = selectFiles(library, manifest, artifacts, options);
  for (const path of trustedPaths(wanted.keys())) wanted.delete(path);
  const folder = GuardedFolder.open(target);
  const cache = folder === null ? null : new HashCache(folder.root, options.cacheFolder);
  try {
    const { same, different, missing } = await compareWithFolder(folder, wanted.values(), cache, options);
    const toFetch = [...missing, ...different];
    return {
      library,
      assets: selectIds(library, manifest, options),
      status: statusOf(toFetch.length, same.length + different.length),
      revision: head.row.revision,
      files: toFetch.length,
      bytes: toFetch.reduce((sum, { size }) => sum + size, 0),
      missing: missing.map(({ path }) => path),
      different: different.map(({ path }) => path),
    };
  } finally {
    folder?.close();
  }
}

function statusOf(toFetch: number, present: number): StatResult['status'] {
  if (toFetch === 0) return 'up-to-date';
  return present === 0 ? 'absent' : 'stale';
}
