import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { DAY } from '@bindery/contract/wire';
import { CACHE_FOLDER_MODE, writeFileAtomically } from '../tree/files.ts';

const DIGEST_BYTES = 32;

/** A file of the cache, which contains `content` and then its hash. */
export interface CachedFile {
  path: string;
  content: Buffer;
}

/**
 * Caches derived files under names that identify everything they were made from. Each file includes the hash of its
 * content, so that a damaged one counts as missing. `trim` evicts the least recently used files.
 */
export class DerivedFileCache {
  readonly #folder: string;
  readonly #mostBytes: number;

  constructor(folder: string, mostBytes: number) {
    this.#folder = folder;
    this.#mostBytes = mostBytes;
  }

  read(name: string): CachedFile | null {
    const place = this.#place(name);
    try {
      const bytes = readFileSync(place);
      const content = bytes.subarray(0, bytes.length - DIGEST_BYTES);
      if (!digest(content).equals(bytes.subarray(content.length))) return null;
      markUsed(place);
      return { path: place, content };
    } catch {
      return null;
    }
  }

  /** Returns the path of the file; null if it cannot be stored. */
  write(name: string, content: Uint8Array): string | null {
    const place = this.#place(name);
    try {
      writeFileAtomically(place, Buffer.concat([content, digest(content)]));
      return place;
    } catch {
      return null;
    }
  }

  /** Makes room. Must not be called while files that were read or written are still in use. */
  trim(): void {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: CACHE_FOLDER_MODE });
      const files = readdirSync(this.#folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
        .map((place) => ({ place, ...sizeAndTime(place) }))
        .sort((a, b) => a.time - b.time);
      let excess = files.reduce((sum, { size }) => sum + size, 0) - this.#mostBytes;
      for (const { place, size } of files) {
        if (excess <= 0) return;
        rmSync(place, { force: true });
        excess -= size;
      }
    } catch {
      // A cache that cannot be trimmed still works.
    }
  }

  #place(name: string): string {
    return join(this.#folder, name.slice(0, 2), name);
  }
}

function digest(content: Uint8Array): Buffer {
  return hash('sha256', content, 'buffer');
}

function sizeAndTime(place: string): { size: number; time: number } {
  const { size, mtimeMs } = statSync(place);
  return { size, time: mtimeMs };
}

function markUsed(place: string): void {
  const now = Date.now();
  if (statSync(place).mtimeMs < now - DAY) utimesSync(place, now / 1_000, now / 1_000);
}
