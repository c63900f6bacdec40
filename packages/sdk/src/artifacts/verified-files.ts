import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ManifestAsset } from '@bindery/contract';

/** Reads an asset's files and verifies them against the hashes of its manifest entry. */
export class VerifiedFiles {
  readonly sizes: ReadonlyMap<string, number>;
  /** Whether a file could not be read or no longer matched its hash. */
  failed = false;
  readonly #root: string;
  readonly #hashes: ReadonlyMap<string, string>;

  constructor({ files }: ManifestAsset, root: string) {
    this.sizes = new Map(files.map(({ path, size }) => [path, size]));
    this.#hashes = new Map(files.map(({ path, sha256 }) => [path, sha256]));
    this.#root = root;
  }

  async read(path: string): Promise<Uint8Array> {
    try {
      const bytes = await readFile(join(this.#root, path));
      if (hash('sha256', bytes) === this.#hashes.get(path)) return bytes;
    } catch {}
    this.failed = true;
    throw new Error(`${path} changed while it was read`);
  }
}
