import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Manifest } from '@bindery/contract';
import type { LibraryClient } from '../client/call.ts';
import { removeOlderThan, writeFileAtomically } from '../tree/files.ts';
import { formatLibraryAddress, type LibraryAddress } from './library-address.ts';
import {
  type CachedManifest,
  type LibraryHead,
  type ManifestStore,
  type RemoteLibrary,
  readLibrary,
} from './read-library.ts';

const FORMAT = 'bindery-manifest 2';
const KEPT_DAYS = 90;

/**
 * Caches the last manifest read of each library, identified by its content: a revision number may mean something else
 * after a service was restored from a backup. A damaged or unwritable cache only costs time.
 */
export class ManifestCache implements ManifestStore {
  readonly #folder: string;

  constructor(cacheFolder: string) {
    this.#folder = join(cacheFolder, 'manifests');
  }

  read(server: string, address: LibraryAddress): CachedManifest | null {
    try {
      const text = readFileSync(this.#file(server, address), 'utf8');
      const end = text.indexOf('\n') + 1;
      const body = text.slice(end);
      return text.slice(0, end) === headLine(body) ? (JSON.parse(body) as CachedManifest) : null;
    } catch {
      return null;
    }
  }

  write(server: string, address: LibraryAddress, cached: CachedManifest): void {
    const file = this.#file(server, address);
    const body = JSON.stringify(cached);
    try {
      if (!existsSync(file)) removeOlderThan(dirname(file), KEPT_DAYS);
      writeFileAtomically(file, headLine(body) + body);
    } catch {
      // Without a cache the next run reads the manifest again.
    }
  }

  #file(server: string, address: LibraryAddress): string {
    const name = hash('sha256', `${server}\n${formatLibraryAddress(address)}`).slice(0, 32);
    return join(this.#folder, `${name}.json`);
  }
}

function headLine(body: string): string {
  return `${FORMAT} ${hash('sha256', body)}\n`;
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
    try {
      const text = readFileSync(this.#file(sha256), 'utf8');
      const end = text.indexOf('\n') + 1;
      const body = text.slice(end);
      return text.slice(0, end) === validatedHeadLine(sha256, body) ? (JSON.parse(body) as Manifest) : null;
    } catch {
      return null;
    }
  }

  write(sha256: string, manifest: Manifest): void {
    const file = this.#file(sha256);
    try {
      if (existsSync(file)) return;
      removeOlderThan(dirname(file), KEPT_DAYS);
      const body = JSON.stringify(manifest);
      writeFileAtomically(file, validatedHeadLine(sha256, body) + body);
    } catch {
      // Without it the next run validates the manifest again.
    }
  }

  #file(sha256: string): string {
    return join(this.#folder, `${sha256}.json`);
  }
}

function validatedHeadLine(sha256: string, body: string): string {
  return `${VALIDATED_FORMAT} ${sha256} ${hash('sha256', body)}\n`;
}

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
