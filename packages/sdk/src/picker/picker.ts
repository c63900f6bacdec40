/** One page returned by a source; `next` is an opaque cursor for the next page, null after the last one. */
export interface Page<Item> {
  items: readonly Item[];
  next: string | null;
}

/** Fetches one page. `after` is null for the first one. Must honour the signal. */
export type FetchPage<Query, Item> = (request: {
  query: Query;
  after: string | null;
  identity: Identity;
  signal: AbortSignal;
}) => Promise<Page<Item>>;

export interface PickerState<Item> {
  items: readonly Item[];
  hasMore: boolean;
  loading: boolean;
  /** What the last request failed with; null if it did not fail. */
  error: unknown;
}

const EMPTY: PickerState<never> = { items: [], hasMore: false, loading: false, error: null };

/**
 * The logic of a picker over a paged, searchable list, without a framework: `subscribe` and `state` fit React's
 * `useSyncExternalStore`. A change of query or identity cancels the running request and starts from the first page; a
 * late response to another query or identity is dropped and never cached.
 */
export class Picker<Query, Item> {
  readonly #fetchPage: FetchPage<Query, Item>;
  readonly #cache = new PageCache<Item>();
  readonly #listeners = new Set<() => void>();
  #identity: Identity;
  #query: Query | null = null;
  #request: AbortController | null = null;
  #state: PickerState<Item> = EMPTY;

  constructor(identity: Identity, fetchPage: FetchPage<Query, Item>) {
    this.#identity = identity;
    this.#fetchPage = fetchPage;
  }

  get state(): PickerState<Item> {
    return this.#state;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Shows another list, from the cache if it was fetched before. Nothing is fetched before the first call. */
  async show(query: Query): Promise<void> {
    this.#cancel();
    this.#query = query;
    const cached = this.#cache.get(this.#identity, JSON.stringify(query));
    if (cached) return this.#showPages(cached);
    this.#update({ ...EMPTY, loading: true });
    await this.#load(query, null, []);
  }

  /** Fetches the next page, unless one is being fetched or there is none. */
  async loadMore(): Promise<void> {
    const query = this.#query;
    if (query === null || this.#state.loading || !this.#state.hasMore) return;
    const pages = this.#cache.get(this.#identity, JSON.stringify(query));
    if (!pages) return this.show(query);
    this.#update({ ...this.#state, loading: true, error: null });
    await this.#load(query, pages.next, pages.items);
  }

  /** Shows the list as another identity sees it; a running request of the previous identity is cancelled. */
  async identify(identity: Identity): Promise<void> {
    this.#cancel();
    this.#identity = identity;
    if (this.#query !== null) await this.show(this.#query);
  }

  /** Clears the cache and fetches the shown list again, as after a mutation. */
  async refresh(): Promise<void> {
    this.#cache.clear();
    if (this.#query !== null) await this.show(this.#query);
  }

  /** Cancels the running request; called when the picker is closed. */
  close(): void {
    this.#cancel();
    this.#query = null;
    this.#update(EMPTY);
  }

  async #load(query: Query, after: string | null, before: readonly Item[]): Promise<void> {
    const request = new AbortController();
    const identity = this.#identity;
    this.#request = request;
    try {
      const page = await this.#fetchPage({ query, after, identity, signal: request.signal });
      if (this.#request !== request) return;
      const pages = { items: [...before, ...page.items], next: page.next };
      this.#cache.set(identity, JSON.stringify(query), pages);
      this.#showPages(pages);
    } catch (error) {
      if (this.#request !== request) return;
      this.#update({ ...this.#state, loading: false, error });
    }
  }

  #showPages({ items, next }: CachedPages<Item>): void {
    this.#request = null;
    this.#update({ items, hasMore: next !== null, loading: false, error: null });
  }

  #cancel(): void {
    this.#request?.abort();
    this.#request = null;
  }

  #update(state: PickerState<Item>): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

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
class PageCache<Item> {
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
