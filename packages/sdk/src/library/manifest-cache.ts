import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '@bindery/contract';
import type { LibraryClient } from '../client/call.ts';
import { readCached, writeRecord } from '../tree/records.ts';
import { formatLibraryAddress, type LibraryAddress, type NumberedAddress } from './library-address.ts';
import { readChanges, withChanges } from './read-changes.ts';
import {
  type CachedManifest,
  keptRevision,
  type LibraryHead,
  type ManifestStore,
  type RemoteLibrary,
  readLibrary,
} from './read-library.ts';

const FORMAT = 'bindery-manifest 4';

/**
 * Caches the last manifest read of each library, identified by its content: a revision number may mean something else
 * after a service was restored from a backup. A damaged or unwritable cache only costs time.
 */
export class ManifestCache implements ManifestStore {
  readonly #folder: string;
  #last: { file: string; cached: CachedManifest } | undefined;

  constructor(cacheFolder: string) {
    this.#folder = join(cacheFolder, 'manifests');
  }

  read(server: string, address: LibraryAddress): CachedManifest | null {
    const file = this.#file(server, address);
    if (this.#last?.file === file) return this.#last.cached;
    const text = readCached(file, FORMAT);
    if (text === null) return null;
    const end = text.indexOf('\n');
    const cached = { ...JSON.parse(text.slice(0, end)), manifest: JSON.parse(text.slice(end + 1)) };
    this.#last = { file, cached };
    return cached;
  }

  write(server: string, address: LibraryAddress, cached: CachedManifest, text?: string): void {
    const { manifest, ...about } = cached;
    const lines = [JSON.stringify(about), text ?? JSON.stringify(manifest)];
    this.#last = undefined;
    writeRecord(this.#file(server, address), FORMAT, lines.join('\n'));
  }

  #file(server: string, address: LibraryAddress): string {
    const name = hash('sha256', `${server}\n${formatLibraryAddress(address)}`).slice(0, 32);
    return join(this.#folder, `${name}.json`);
  }
}

/** Must change when the rules of manifests do. */
const VALIDATED_FORMAT = 'bindery-validated-manifest 1';

/**
 * Caches manifests that have been validated, by the SHA-256 of their bytes: reading one again loads neither the rules
 * nor the schemas. A damaged or unwritable cache only costs time.
 */
export class ValidatedManifestCache {
  readonly #folder: string;

  constructor(cacheFolder: string) {
    this.#folder = join(cacheFolder, 'validated-manifests');
  }

  read(sha256: string): Manifest | null {
    const text = readCached(this.#file(sha256), `${VALIDATED_FORMAT} ${sha256}`);
    return text === null ? null : (JSON.parse(text) as Manifest);
  }

  has(sha256: string): boolean {
    return existsSync(this.#file(sha256));
  }

  write(sha256: string, manifest: Manifest): void {
    if (this.has(sha256)) return;
    writeRecord(this.#file(sha256), `${VALIDATED_FORMAT} ${sha256}`, JSON.stringify(manifest));
  }

  #file(sha256: string): string {
    return join(this.#folder, `${sha256}.json`);
  }
}

export interface RemoteOptions {
  /** The folder of caches. */
  cacheFolder: string;
  signal?: AbortSignal | undefined;
}

/** Like `readLibrary`, with the manifests that are cached on this machine. */
export function readRemoteLibrary(
  client: LibraryClient,
  address: NumberedAddress,
  head: LibraryHead,
  { cacheFolder, ...options }: RemoteOptions & { artifacts?: (manifest: Manifest) => string[] },
): Promise<RemoteLibrary> {
  return readLibrary(client, address, head, { ...options, manifests: new ManifestCache(cacheFolder) });
}

/**
 * Returns the files of a library's current manifest: those of an earlier one that is cached on this machine, and what the
 * service tells has changed since. Null if there is none, or the service cannot tell.
 */
export async function readSinceKept(
  client: LibraryClient,
  address: LibraryAddress,
  { manifestSha256 }: LibraryHead,
  { manifests, signal }: { manifests: ManifestCache; signal?: AbortSignal | undefined },
): Promise<Pick<RemoteLibrary, 'manifest' | 'artifacts'> | null> {
  const kept = manifests.read(client.baseUrl, address);
  if (kept === null || manifestSha256 === null || kept.sha256 === manifestSha256) return null;
  const changes = await readChanges(client, { revision: keptRevision(kept) }, address, signal);
  const { from, to } = changes ?? {};
  if (changes === null || from?.manifestSha256 !== kept.sha256 || to?.manifestSha256 !== manifestSha256)
    return null;
  const manifest = await withChanges(kept.manifest, changes);
  return { manifest, artifacts: new Map(changes.to.rootFiles.map((file) => [file.path, file])) };
}
