/** What stands after the `?` of a page, as plain text: `q=5` is the text 5. */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

/** The other way round; what is empty is left out. */
export function stringifySearch(values: Record<string, unknown>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string' && value !== '') search.set(name, value);
  }
  return search.size > 0 ? `?${search}` : '';
}

/** Filters of a search, the query, and a share token: what the address of a page may hold. */
export interface PageSearch {
  q?: string;
  kind?: string;
  category?: string;
  license?: string;
  tag?: string;
  share?: string;
}

const NAMES = ['q', 'kind', 'category', 'license', 'tag', 'share'] as const;

export function readPageSearch(values: Record<string, unknown>): PageSearch {
  const search: PageSearch = {};
  for (const name of NAMES) {
    const value = values[name];
    if (typeof value === 'string' && value !== '') search[name] = value;
  }
  return search;
}

/** Whether there is anything to search for. */
export function asksForSomething({ share: _, ...asked }: PageSearch): boolean {
  return Object.values(asked).some((value) => value !== undefined);
}

/** A page of a list with a search. */
export interface ListSearch {
  q?: string;
  /** From 1; the first one goes without. */
  page?: string;
}

export function readListSearch({ q, page }: Record<string, unknown>): ListSearch {
  return {
    ...(typeof q === 'string' && q !== '' && { q }),
    ...(typeof page === 'string' && /^[1-9]\d{0,5}$/.test(page) && page !== '1' && { page }),
  };
}

/** What the address names as the service's routes take it. */
export function pageQueryOf({ q = '', page = '1' }: ListSearch): { search: string; page: string } {
  return { search: q, page };
}
