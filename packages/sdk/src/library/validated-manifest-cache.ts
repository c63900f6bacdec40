import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Manifest } from '@bindery/contract';
import { removeOlderThan, writeFileAtomically } from '../tree/atomic-file.ts';

/** Must change when the rules of manifests do. */
const FORMAT = 'bindery-validated-manifest 1';
const KEPT_DAYS = 90;

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
      return text.slice(0, end) === headLine(sha256, body) ? (JSON.parse(body) as Manifest) : null;
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
      writeFileAtomically(file, headLine(sha256, body) + body);
    } catch {
      // Without it the next run validates the manifest again.
    }
  }

  #file(sha256: string): string {
    return join(this.#folder, `${sha256}.json`);
  }
}

function headLine(sha256: string, body: string): string {
  return `${FORMAT} ${sha256} ${hash('sha256', body)}\n`;
}
