/** The fetched pages of one list in order, and where the next one begins. */
export interface CachedPages<Item> {
  items: readonly Item[];
  /** Where the next page begins; null after the last one. */
  next: string | null;
}

/**
 * Who makes requests. An anonymous preview is a separate identity: what a signed-in user sees never appears in it, nor
 * the other way round.
 */
export type Identity = { kind: 'anonymous-preview' } | { kind: 'account'; id: string };

/** Maximum number of cached lists. */
const CAPACITY = 50;

/** Caches fetched pages by identity and query. The least recently used list is evicted first. */
export class PageCache<Item> {
  readonly #entries = new Map<string, CachedPages<Item>>();

  get(identity: Identity, query: string): CachedPages<Item> | undefined {
    const key = keyOf(identity, query);
    const entry = this.#entries.get(key);
    if (entry) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
    }
    return entry;
  }

  set(identity: Identity, query: string, pages: CachedPages<Item>): void {
    const key = keyOf(identity, query);
    this.#entries.delete(key);
    this.#entries.set(key, pages);
    const oldest = this.#entries.keys().next().value;
    if (this.#entries.size > CAPACITY && oldest !== undefined) this.#entries.delete(oldest);
  }

  /** Forgets everything: after a mutation, lists must be fetched again. */
  clear(): void {
    this.#entries.clear();
  }
}

function keyOf(identity: Identity, query: string): string {
  return JSON.stringify([identity.kind === 'account' ? identity.id : null, query]);
}
