import type { UnderstoodPart } from '@bindery/contract';
import { FEATURES, isMeasure, readRange, type SearchFilter } from '@bindery/contract/wire';

/** Parses a query string without type conversion: `q=5` is the text `5`. A repeated parameter becomes an array. */
export function parseSearch(text: string): Record<string, string | string[]> {
  const search = new URLSearchParams(text);
  return Object.fromEntries(
    [...new Set(search.keys())].map((name) => {
      const values = search.getAll(name);
      return [name, values.length === 1 ? (values[0] as string) : values];
    }),
  );
}

/** The inverse of `parseSearch`; empty values are left out. */
export function stringifySearch(values: Record<string, unknown>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    for (const one of [value].flat()) if (typeof one === 'string' && one !== '') search.append(name, one);
  }
  return search.size > 0 ? `?${search}` : '';
}

/** Search filters. An asset must match one value of each filter that is set. */
export const FILTERS = [
  'library',
  'kind',
  'category',
  'license',
  'tag',
  'has',
  'bytes',
  'extent',
  'height',
  'mass',
  'joints',
  'triangles',
  'format',
  'author',
] as const satisfies readonly SearchFilter[];
export type FilterName = (typeof FILTERS)[number];
export type SearchFilters = { [name in FilterName]?: string[] };

/** Sort orders besides relevance. */
export const SORTS = ['newest', 'title', 'size'] as const;
export type Sort = (typeof SORTS)[number];

/** The search parameters of a page: a search, and how its library is read. */
export interface PageSearch extends SearchFilters {
  q?: string;
  /** Parts of the query that are searched as words, though the service would read them as filters. */
  asWords?: string[];
  sort?: Sort;
  /** A share token. */
  share?: string;
  /** The release being shown; absent for the newest revision. */
  release?: string;
}

/** A search, and what changes it in the address of the page. */
export interface SearchProps {
  search: PageSearch;
  onSearch: (change: PageSearch) => void;
}

/** The parts of a library's page besides its assets. */
export const LIBRARY_TABS = ['readme', 'releases', 'history', 'proposals', 'settings'] as const;
export type LibraryTab = (typeof LIBRARY_TABS)[number];

/** The page of a library; absent `tab` shows its assets. */
export interface LibrarySearch extends PageSearch {
  tab?: LibraryTab;
}

export function readLibrarySearch(values: Record<string, unknown>): LibrarySearch {
  const tab = LIBRARY_TABS.find((one) => one === values.tab);
  return { ...readPageSearch(values), ...(tab !== undefined && { tab }) };
}

/** The maximum values of one filter that the service accepts. */
const MAX_VALUES = 50;

export function readPageSearch(values: Record<string, unknown>): PageSearch {
  const search: PageSearch = singlesOf(values, 'q', 'share', 'release');
  for (const name of FILTERS) {
    const chosen = textsOf(values[name]).filter((value) => isValueOf(name, value));
    if (chosen.length > 0) search[name] = chosen.slice(0, MAX_VALUES);
  }
  const asWords = textsOf(values.asWords).slice(0, MAX_VALUES);
  if (asWords.length > 0) search.asWords = asWords;
  const sort = SORTS.find((one) => one === values.sort);
  return sort === undefined ? search : { ...search, sort };
}

/** The parameters among `names` that have one value. */
export function singlesOf<Name extends string>(
  values: Record<string, unknown>,
  ...names: readonly Name[]
): { [name in Name]?: string } {
  const given = names.filter((name) => typeof values[name] === 'string' && values[name] !== '');
  return Object.fromEntries(given.map((name) => [name, values[name]])) as { [name in Name]?: string };
}

function textsOf(value: unknown): string[] {
  const texts = [value].flat().filter((text) => typeof text === 'string' && text !== '');
  return [...new Set(texts as string[])];
}

/** Whether the service accepts a value. */
function isValueOf(name: FilterName, value: string): boolean {
  if (name === 'has') return FEATURES.some((feature) => feature === value);
  return !isMeasure(name) || readRange(value) !== null;
}

/** Returns the search with a filter's value added, or removed if it is set. */
export function toggled(search: PageSearch, name: FilterName, value: string): PageSearch {
  const { [name]: chosen = [], ...rest } = search;
  const left = chosen.filter((one) => one.toLowerCase() !== value.toLowerCase());
  const now = left.length < chosen.length ? left : [...chosen, value].slice(-MAX_VALUES);
  return now.length === 0 ? rest : { ...rest, [name]: now };
}

/** Returns the search without one filter: without its values, and without the parts of the query that were read as it. */
export function withoutFilter(
  search: PageSearch,
  name: FilterName,
  understood: readonly UnderstoodPart[],
): PageSearch {
  const { [name]: _, q = '', ...rest } = search;
  const left = understood
    .filter(({ filter }) => filter === name)
    .reduce((text, part) => text.replace(part.text, ''), q)
    .replace(/\s+/g, ' ')
    .replace(/^[\s,]+|[\s,]+$/g, '');
  return left === '' ? rest : { ...rest, q: left };
}

/** Returns the search with a part of the query searched as words. */
export function withWords(search: PageSearch, text: string): PageSearch {
  return { ...search, asWords: [...(search.asWords ?? []), text].slice(-MAX_VALUES) };
}

/** Returns the search without filters. */
export function withoutFilters(search: PageSearch): PageSearch {
  return Object.fromEntries(
    Object.entries(search).filter(([name]) => !FILTERS.some((filter) => filter === name)),
  );
}

/** Whether the search has a query or a filter. */
export function hasCriteria(search: PageSearch): boolean {
  return search.q !== undefined || FILTERS.some((name) => search[name] !== undefined);
}

/** Orders of libraries besides the latest first. */
export const LIBRARY_ORDERS = ['name', 'downloads', 'used'] as const;

/** The search parameters of the home page: a search, or a list of libraries. */
export interface HomeSearch extends PageSearch {
  /** Absent for all. */
  of?: 'mine' | 'favourites';
  /** Absent for the latest first. */
  by?: (typeof LIBRARY_ORDERS)[number];
  /** From 1; absent for the first page. */
  page?: string;
}

export function readHomeSearch(values: Record<string, unknown>): HomeSearch {
  const of = (['mine', 'favourites'] as const).find((one) => one === values.of);
  const by = LIBRARY_ORDERS.find((one) => one === values.by);
  const { page } = readListSearch(values);
  return { ...readPageSearch(values), ...(of && { of }), ...(by && { by }), ...(page && { page }) };
}

/**
 * Whether a change of the address takes the place of its entry in the history: what is typed on does, so that Back leads
 * to the page before the word, and not through its letters.
 */
export function isTypedOn<Search extends { q?: string }>(before: Search, after: Search): boolean {
  const { q: had, ...others } = before;
  const { q: has, ...otherwise } = after;
  return Boolean(had) && Boolean(has) && stringifySearch(others) === stringifySearch(otherwise);
}

/** The page that creates a library, with the namespace chosen at first; absent for the user's own. */
export const readNewLibrarySearch = (values: Record<string, unknown>) => singlesOf(values, 'namespace');

/** A page of a searchable list. */
export interface ListSearch {
  q?: string;
  /** From 1; absent for the first page. */
  page?: string;
}

export function readListSearch(values: Record<string, unknown>): ListSearch {
  const { page = '1', ...search } = singlesOf(values, 'q', 'page');
  return /^[1-9]\d{0,5}$/.test(page) && page !== '1' ? { ...search, page } : search;
}

const WEBHOOK_STATES = ['active', 'failing', 'paused'] as const;

/** A page of the list of all webhooks. */
export interface WebhookListSearch extends ListSearch {
  state?: (typeof WEBHOOK_STATES)[number];
}

export function readWebhookListSearch(values: Record<string, unknown>): WebhookListSearch {
  const state = WEBHOOK_STATES.find((one) => one === values.state);
  return { ...readListSearch(values), ...(state !== undefined && { state }) };
}

/** The search parameters of an asset's page: how its library is read, and what of the asset is shown. */
export interface AssetSearch {
  /** A share token. */
  share?: string;
  release?: string;
  /** The path of the entry point that the viewer shows; absent for the first. */
  entry?: string;
  /** A view of it that somebody copied: camera, pose and choices. */
  view?: string;
  /** The path of the file that is open for reading. */
  file?: string;
  /** Whether it is presented to people who walk by. */
  present?: 'on';
  /** Another asset to compare it with, by its name. */
  with?: string;
}

/** An asset by its name, `<namespace>/<library>/<asset>` or `<namespace>/<library>@<release>/<asset>`. */
export interface AssetName {
  namespace: string;
  library: string;
  release?: string | undefined;
  asset: string;
}

/** Null for what names no asset. */
export function readAssetName(text: string): AssetName | null {
  const [namespace, named = '', asset, ...rest] = text.split('/');
  const [library, release] = named.split('@');
  return namespace && library && asset && rest.length === 0 ? { namespace, library, release, asset } : null;
}

/** The inverse of `readAssetName`. */
export function writeAssetName({ namespace, library, release, asset }: AssetName): string {
  return `${namespace}/${library}${release === undefined ? '' : `@${release}`}/${asset}`;
}

export function readAssetSearch(values: Record<string, unknown>): AssetSearch {
  const search = singlesOf(values, 'share', 'release', 'entry', 'view', 'file', 'with');
  return 'present' in values ? { ...search, present: 'on' } : search;
}
