import { ASSET_ID } from '@bindery/contract/wire';
import { globProblem } from '../globs/glob.ts';
import { formatLibraryAddress, type LibraryAddress, parseAssetAddress } from '../library/library-address.ts';

/** Selects assets of a library: one by its id, those whose id matches a pattern, or those that match filters. */
export type Selector =
  | { by: 'id'; id: string }
  | { by: 'pattern'; pattern: string }
  | { by: 'filters'; filters: readonly (readonly [FilterKey, string])[] };

const FILTER_KEYS = ['kind', 'license', 'tag'] as const;
type FilterKey = (typeof FILTER_KEYS)[number];

/** What a project uses of a library. */
export interface Use {
  /** Without a share token. */
  library: LibraryAddress;
  selector: Selector;
  /** The name of the asset in the project; null if it is its id. */
  as: string | null;
}

/**
 * Parses `ns/name[@release]/asset`, where the asset may be a pattern, or `ns/name[@release]?kind=mjcf`. Throws a
 * `TypeError` that says what is wrong.
 */
export function parseUse(text: string, as: string | null = null): Use {
  const [, filtered, filters] = /^([^/?]*\/[^/?]*)\?(.*)$/s.exec(text) ?? [];
  const address = parseAssetAddress(filtered ?? text.replace(/\/$/, ''));
  if (address === null) {
    throw new TypeError(`${JSON.stringify(text)} does not name an asset; expected namespace/library/asset`);
  }
  const { asset, revision, ...library } = address;
  if (revision !== undefined)
    throw new TypeError('a project uses a library or a release of it; a lock keeps the revision');
  const selector =
    filters === undefined
      ? selectorOf(asset, formatLibraryAddress(library))
      : { by: 'filters' as const, filters: parseFilters(filters) };
  if (as !== null && selector.by !== 'id') throw new TypeError('"as" needs a single asset');
  if (as !== null && !ASSET_ID.pattern.test(as)) throw new TypeError(`"as" ${ASSET_ID.rule}`);
  return { library, selector, as: selector.by === 'id' && as === selector.id ? null : as };
}

/** Returns a use as text that `parseCanonicalUse` reads; equal uses have equal texts. */
export function formatUse({ library, selector, as }: Use): string {
  const address = formatLibraryAddress(library);
  const name = as === null ? '' : ` as ${as}`;
  switch (selector.by) {
    case 'id':
      return `${address}/${selector.id}${name}`;
    case 'pattern':
      return `${address}/${selector.pattern}`;
    case 'filters':
      return `${address}?${selector.filters.map((filter) => filter.join('=')).join('&')}`;
  }
}

/** Parses what `formatUse` writes. Throws a `TypeError` for anything else. */
export function parseCanonicalUse(text: string): Use {
  const [, plain = '', as] = /^(.*?)(?: as (\S+))?$/s.exec(text) ?? [];
  const use = parseUse(plain, as ?? null);
  if (formatUse(use) !== text) throw new TypeError(`${JSON.stringify(text)} is not in its canonical form`);
  return use;
}

/** Returns `ns/name`, without the release. */
export function libraryOf({ library: { namespace, name } }: Use): string {
  return formatLibraryAddress({ namespace, name });
}

function selectorOf(asset: string | undefined, address: string): Selector {
  if (asset === undefined || asset === '') {
    throw new TypeError(`${address} is a whole library; name an asset of it, or ${address}/* for all`);
  }
  if (!/[*?[{\\]/.test(asset)) {
    if (!ASSET_ID.pattern.test(asset)) throw new TypeError(`${JSON.stringify(asset)} ${ASSET_ID.rule}`);
    return { by: 'id', id: asset };
  }
  const problem = globProblem(asset);
  if (problem !== null) throw new TypeError(`the pattern ${JSON.stringify(asset)}: ${problem}`);
  return { by: 'pattern', pattern: asset };
}

function parseFilters(text: string): [FilterKey, string][] {
  const filters = text.split('&').map((part): [FilterKey, string] => {
    const [key = '', ...value] = part.split('=');
    const filterKey = FILTER_KEYS.find((known) => known === key);
    if (filterKey === undefined) {
      throw new TypeError(`${JSON.stringify(key)} is not a filter; use ${FILTER_KEYS.join(', ')}`);
    }
    if (value.join('=') === '') throw new TypeError(`${key}= has no value`);
    return [filterKey, value.join('=')];
  });
  const keys = filters.map(([key]) => key);
  const twice = keys.find((key, at) => keys.indexOf(key) !== at);
  if (twice !== undefined) throw new TypeError(`${twice}= is given twice`);
  return filters.sort(([a], [b]) => (a < b ? -1 : 1));
}
