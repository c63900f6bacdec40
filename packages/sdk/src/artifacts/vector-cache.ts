import { hash } from 'node:crypto';
import { join } from 'node:path';
import { DerivedFileCache } from './derived-file-cache.ts';
import type { Row } from './sidecar.ts';

const CACHE_BYTES = 2 * 1024 ** 3;

/** A picture or a text to encode, identified by the hash of its content. */
export interface EmbeddingInput {
  kind: 'image' | 'text';
  sha256: string;
}

/** Caches the vectors of one model version by content. Without a version it finds and stores nothing. */
export class VectorCache {
  readonly #cache: DerivedFileCache;
  readonly #version: string | null;

  constructor(cacheFolder: string, version: string | null) {
    this.#cache = new DerivedFileCache(join(cacheFolder, 'vectors'), CACHE_BYTES);
    this.#version = version;
  }

  find(content: EmbeddingInput): Row | null {
    if (this.#version === null) return null;
    return this.#cache.read(nameOf(this.#version, content))?.content ?? null;
  }

  keep(content: EmbeddingInput, row: Row): void {
    if (this.#version !== null) this.#cache.write(nameOf(this.#version, content), row);
  }

  /** Evicts the least recently used vectors. */
  trim(): void {
    this.#cache.trim();
  }
}

function nameOf(version: string, { kind, sha256 }: EmbeddingInput): string {
  return hash('sha256', JSON.stringify([version, kind, sha256]));
}
