/** What stands after the `?` of a page, as plain text: `q=5` is the text 5, and what is there several times is a list. */
export function parseSearch(text: string): Record<string, string | string[]> {
  const search = new URLSearchParams(text);
  return Object.fromEntries(
    [...new Set(search.keys())].map((name) => {
      const values = search.getAll(name);
      return [name, values.length === 1 ? (values[0] as string) : values];
    }),
  );
}

/** The other way round; what is empty is left out. */
export function stringifySearch(values: Record<string, unknown>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    for (const one of [value].flat()) if (typeof one === 'string' && one !== '') search.append(name, one);
  }
  return search.size > 0 ? `?${search}` : '';
}

/** Filters of a search, of which an asset needs one value each. */
export const FILTERS = ['library', 'kind', 'category', 'license', 'tag'] as const;
export type FilterName = (typeof FILTERS)[number];
export type SearchFilters = { [name in FilterName]?: string[] };

/** Orders of hits beside that by relevance. */
export const SORTS = ['newest', 'title', 'size'] as const;
export type Sort = (typeof SORTS)[number];

/** A search, and how its library is read: what the address of a page may hold. */
export interface PageSearch extends SearchFilters {
  q?: string;
  sort?: Sort;
  /** A share token. */
  share?: string;
  /** The release that is looked at; the newest revision goes without. */
  release?: string;
}

/** As many values of one filter as the service takes. */
const MAX_VALUES = 50;

export function readPageSearch(values: Record<string, unknown>): PageSearch {
  const search: PageSearch = {};
  for (const name of ['q', 'share', 'release'] as const) {
    const value = values[name];
    if (typeof value === 'string' && value !== '') search[name] = value;
  }
  for (const name of FILTERS) {
    const chosen = [values[name]].flat().filter((value) => typeof value === 'string' && value !== '');
    if (chosen.length > 0) search[name] = [...new Set(chosen as string[])].slice(0, MAX_VALUES);
  }
  const sort = SORTS.find((one) => one === values.sort);
  return sort === undefined ? search : { ...search, sort };
}

/** The same search with a value of a filter added, or taken away where it is there. */
export function toggled(search: PageSearch, name: FilterName, value: string): PageSearch {
  const { [name]: chosen = [], ...rest } = search;
  const left = chosen.filter((one) => one.toLowerCase() !== value.toLowerCase());
  const now = left.length < chosen.length ? left : [...chosen, value].slice(-MAX_VALUES);
  return now.length === 0 ? rest : { ...rest, [name]: now };
}

/** The same search with no filter. */
export function withoutFilters(search: PageSearch): PageSearch {
  return Object.fromEntries(
    Object.entries(search).filter(([name]) => !FILTERS.some((filter) => filter === name)),
  );
}

/** Whether there is anything to search for. */
export function asksForSomething({
  share: _,
  release: _release,
  sort: _sort,
  ...asked
}: PageSearch): boolean {
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
