import type { Manifest } from '@bindery/contract';
import type { LibraryClient } from '../client/library-client.ts';
import type { LibraryAddress } from './library-address.ts';
import { ManifestCache } from './manifest-cache.ts';
import { type LibraryHead, type RemoteLibrary, readLibrary } from './read-library.ts';

export interface RemoteOptions {
  /** The folder of caches. */
  cacheFolder: string;
  signal?: AbortSignal | undefined;
}

/** Like `readLibrary`, with the manifests that are cached on this machine. */
export function readRemoteLibrary(
  client: LibraryClient,
  address: LibraryAddress,
  head: LibraryHead,
  { cacheFolder, ...options }: RemoteOptions & { artifacts?: (manifest: Manifest) => string[] },
): Promise<RemoteLibrary> {
  return readLibrary(client, address, head, { ...options, manifests: new ManifestCache(cacheFolder) });
}
