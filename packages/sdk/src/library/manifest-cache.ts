import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { LibraryDetail, Manifest, ManifestFile } from '@bindery/contract';
import { removeOlderThan, writeFileAtomically } from '../tree/atomic-file.ts';
import { formatLibraryAddress, type LibraryAddress } from './address.ts';

const FORMAT = 'bindery-manifest 2';
const KEPT_DAYS = 90;

/** A manifest as it was read. */
export interface CachedManifest {
  /** Of its bytes. */
  sha256: string;
  manifest: Manifest;
  /** What the service said about platform artifacts, of which a manifest holds only paths, while the library was in one state. */
  artifacts: { state: string; files: ManifestFile[] };
}

/**
 * The last manifest read of each library. It is known by its content and not by its revision, which may stand for
 * something else after a service was restored from a backup. Damaged or unwritable, it only costs time.
 */
export class ManifestCache {
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

/** Tells the states of a library apart in which its artifacts may differ, though its manifest is the same. */
export function artifactState({ revision, createdAt, updatedAt }: LibraryDetail): string {
  return `${revision} ${createdAt} ${updatedAt}`;
}

function headLine(body: string): string {
  return `${FORMAT} ${hash('sha256', body)}\n`;
}
