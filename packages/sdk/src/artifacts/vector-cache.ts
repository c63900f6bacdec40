import { hash } from 'node:crypto';
import { join } from 'node:path';
import { MadeCache } from './made-cache.ts';
import type { Row } from './sidecar.ts';

const CACHE_BYTES = 2 * 1024 ** 3;

/** A picture or a text to encode, by the hash of its content. */
export interface Content {
  kind: 'image' | 'text';
  sha256: string;
}

/** What one version of a model made of pictures and texts, by their content. Without a version nothing is known. */
export class VectorCache {
  readonly #cache: MadeCache;
  readonly #version: string | null;

  constructor(cacheFolder: string, version: string | null) {
    this.#cache = new MadeCache(join(cacheFolder, 'vectors'), CACHE_BYTES);
    this.#version = version;
  }

  find(content: Content): Row | null {
    if (this.#version === null) return null;
    return this.#cache.read(nameOf(this.#version, content))?.content ?? null;
  }

  keep(content: Content, row: Row): void {
    if (this.#version !== null) this.#cache.write(nameOf(this.#version, content), row);
  }

  /** Makes room for more. */
  trim(): void {
    this.#cache.trim();
  }
}

function nameOf(version: string, { kind, sha256 }: Content): string {
  return hash('sha256', JSON.stringify([version, kind, sha256]));
}
