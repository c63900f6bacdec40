import { hash } from 'node:crypto';
import type { CachedObject } from '../../src/cache/object-cache.ts';

/** The nth of some contents, small and large. */
export function contentOf(nth: number): Buffer {
  return Buffer.alloc(1 + ((nth * 7_919) % 90_000), `content ${nth} `);
}

export function objectOf(content: Uint8Array): CachedObject {
  return { sha256: hash('sha256', content), size: content.length };
}
