import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { removeOlderThan, writeFileAtomically } from '../tree/atomic-file.ts';
import { formatLibraryAddress, type LibraryAddress } from './library-address.ts';
import type { CachedManifest, ManifestStore } from './manifest-store.ts';

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
