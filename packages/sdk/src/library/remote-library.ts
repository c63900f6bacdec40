import type { Manifest } from '@bindery/contract';
import type { LibraryClient } from '../client/library-client.ts';
import type { LibraryAddress } from './address.ts';
import { ManifestCache } from './manifest-cache.ts';
import { type LibraryHead, type RemoteLibrary, readLibrary } from './read-library.ts';

export interface RemoteOptions {
  /** Where caches live. */
  cacheFolder: string;
  signal?: AbortSignal | undefined;
}

/** As `readLibrary`, with the manifests that were read on this machine before. */
export function readRemoteLibrary(
  client: LibraryClient,
  address: LibraryAddress,
  head: LibraryHead,
  { cacheFolder, ...options }: RemoteOptions & { artifacts?: (manifest: Manifest) => string[] },
): Promise<RemoteLibrary> {
  return readLibrary(client, address, head, { ...options, manifests: new ManifestCache(cacheFolder) });
}
