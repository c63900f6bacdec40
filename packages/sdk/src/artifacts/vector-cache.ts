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

/** What one model made of pictures and texts, by their content. */
export class VectorCache {
  readonly #cache: MadeCache;
  readonly #model: string;

  constructor(cacheFolder: string, model: string) {
    this.#cache = new MadeCache(join(cacheFolder, 'vectors'), CACHE_BYTES);
    this.#model = model;
  }

  find(content: Content): Row | null {
    return this.#cache.read(this.#name(content))?.content ?? null;
  }

  keep(content: Content, row: Row): void {
    this.#cache.write(this.#name(content), row);
  }

  /** Makes room for more. */
  trim(): void {
    this.#cache.trim();
  }

  #name({ kind, sha256 }: Content): string {
    return hash('sha256', JSON.stringify([this.#model, kind, sha256]));
  }
}
