import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { LibraryDetail, Manifest, ManifestFile } from '@bindery/contract';
import { removeOlderThan, writeFileAtomically } from '../tree/atomic-file.ts';
import { formatLibraryAddress, type LibraryAddress } from './address.ts';

const FORMAT = 'bindery-manifest 1';
const KEPT_DAYS = 90;

/** A manifest as it was read, with what the server said about platform artifacts, of which it holds only paths. */
export interface CachedManifest {
  manifest: Manifest;
  artifacts: ManifestFile[];
}

/** The last manifest read of each library, good for exactly one revision. Damaged or unwritable, it only costs time. */
export class ManifestCache {
  readonly #folder: string;

  constructor(cacheFolder: string) {
    this.#folder = join(cacheFolder, 'manifests');
  }

  read(server: string, address: LibraryAddress, row: LibraryDetail): CachedManifest | null {
    try {
      const text = readFileSync(this.#file(server, address), 'utf8');
      const end = text.indexOf('\n') + 1;
      const body = text.slice(end);
      return text.slice(0, end) === headLine(row, body) ? (JSON.parse(body) as CachedManifest) : null;
    } catch {
      return null;
    }
  }

  write(server: string, address: LibraryAddress, row: LibraryDetail, cached: CachedManifest): void {
    const file = this.#file(server, address);
    const body = JSON.stringify(cached);
    try {
      if (!existsSync(file)) removeOlderThan(dirname(file), KEPT_DAYS);
      writeFileAtomically(file, headLine(row, body) + body);
    } catch {
      // Without a cache the next run reads the manifest again.
    }
  }

  #file(server: string, address: LibraryAddress): string {
    const name = hash('sha256', `${server}\n${formatLibraryAddress(address)}`).slice(0, 32);
    return join(this.#folder, `${name}.json`);
  }
}

/** A new service at an old address counts revisions anew; the time of creation tells its libraries apart. */
function headLine({ revision, createdAt }: LibraryDetail, body: string): string {
  return `${FORMAT} ${revision} ${createdAt} ${hash('sha256', body)}\n`;
}
