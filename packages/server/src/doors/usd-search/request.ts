import { type AskedFilters, type CrossLibraryHit, LIMITS, type Measure, writeRange } from '@bindery/contract';
import { z } from 'zod';
import { invalidParameter } from '../../errors.ts';
import { anyPattern, wildcard } from './wildcards.ts';

/*
 * What NVIDIA's clients ask of USD Search, and what it means here.
 */

/** The most hits that are read for one request, whatever its filters leave of them. */
export const MAX_HITS = 1_000;

/** The kinds of assets that are USD, or are converted to it. */
const SERVED_KINDS = ['usd', 'mjcf', 'urdf', 'sdf', 'mesh'];

const text = z.string().max(LIMITS.search.queryLength).nullish();
const number = z.number().min(0).max(1e15).nullish();
const fileSize = z
  .string()
  .regex(/^\d{1,12}[KMGT]B$/)
  .nullish();
/** What a search by relevance has no filter for: ignored, it would return more than was asked for. */
const UNSUPPORTED = [
  ...['image_similarity_search', 'filter_url_regexp', 'search_in_scene', 'vision_metadata'],
  ...['created_after', 'created_before', 'modified_after', 'modified_before', 'created_by'],
  ...['exclude_created_by', 'modified_by', 'exclude_modified_by'],
  ...['min_bbox_x', 'max_bbox_x', 'min_bbox_z', 'max_bbox_z'],
];

export const usdSearchRequest = z
  .looseObject({
    hybrid_text_query: text,
    description: text,
    /** A picture among them is ignored, as pictures are compared by `image_similarity_search`. */
    vector_queries: z
      .array(z.looseObject({ query_type: z.string().max(20).nullish(), query: z.unknown() }))
      .max(10)
      .nullish(),
    limit: z.int().min(1).max(10_000).nullish(),
    file_name: text,
    exclude_file_name: text,
    file_extension_include: text,
    file_extension_exclude: text,
    search_path: text,
    exclude_search_path: text,
    filter_by_properties: text,
    filter_by_properties_include_any: text,
    exclude_filter_by_properties: text,
    filter_by_properties_numeric: text,
    filter_by_tags: text,
    file_size_greater_than: fileSize,
    file_size_less_than: fileSize,
    min_bbox_y: number,
    max_bbox_y: number,
    return_metadata: z.boolean().nullish(),
  })
  .superRefine((request, context) => {
    for (const name of UNSUPPORTED) {
      if ((request[name] ?? null) !== null)
        context.addIssue({ code: 'custom', path: [name], message: 'this service has no such filter' });
    }
  });
export type UsdSearchRequest = z.infer<typeof usdSearchRequest>;

/** Returns the words that are searched for: those for its vectors only if there are no others. */
export function wordsOf({ hybrid_text_query, description, vector_queries }: UsdSearchRequest): string {
  const spoken = vector_queries?.find(({ query_type }) => query_type === 'text')?.query;
  const byVector = typeof spoken === 'string' ? spoken.slice(0, LIMITS.search.queryLength) : '';
  return hybrid_text_query || description || byVector;
}

/** Filters that are also properties, by the names that assets made by NVIDIA's tools have for them. */
const PROPERTIES = {
  simready_metadata__asset_type: 'category',
  category: 'category',
  kind: 'kind',
  format: 'format',
  license: 'license',
  tag: 'tag',
} as const;

/** Measures that NVIDIA calls properties. */
const NUMERIC: ReadonlyMap<string, Measure> = new Map([
  ['physics:mass', 'mass'],
  ['mass', 'mass'],
  ['joints', 'joints'],
  ['__polygon_count', 'triangles'],
]);

/** Returns the filters by which the index itself narrows a search. */
export function filtersOf(request: UsdSearchRequest): AskedFilters {
  const filters: Record<string, string[]> = { kind: SERVED_KINDS };
  for (const { name, value } of clausesIn(request.filter_by_properties)) {
    const [filter, ...others] = new Set(propertiesNamed(name));
    const isOne = filter !== undefined && others.length === 0 && filter !== 'kind';
    if (isOne && !/[*?]/.test(value)) filters[filter] ??= [value];
  }
  const tags = termsIn(request.filter_by_tags).map((term) => term.replace(/^=|=$/, ''));
  if (tags.length > 0) filters.tag = tags;
  const ranges: [Measure, number | undefined, number | undefined][] = [
    ['height', request.min_bbox_y ?? undefined, request.max_bbox_y ?? undefined],
    ['bytes', bytesIn(request.file_size_greater_than), bytesIn(request.file_size_less_than)],
    ...termsIn(request.filter_by_properties_numeric).map(numericRange),
  ];
  for (const [measure, least = 0, most = Number.POSITIVE_INFINITY] of ranges)
    if (least > 0 || most < Number.POSITIVE_INFINITY) filters[measure] = [writeRange({ least, most })];
  return filters;
}

function numericRange(term: string): [Measure, number | undefined, number | undefined] {
  const [, name = '', operator = '', value] = /^([^<>=]+)([<>]=?|=)(\d+(?:\.\d+)?)$/.exec(term) ?? [];
  const measure = NUMERIC.get(name.trim());
  if (measure === undefined)
    throw invalidParameter('filter_by_properties_numeric', `${term}: there is no such measure.`);
  const bound = Number(value);
  return [
    measure,
    operator.startsWith('<') ? undefined : bound,
    operator.startsWith('>') ? undefined : bound,
  ];
}

const UNITS = 'KMGT';

function bytesIn(size: string | null | undefined): number | undefined {
  if (!size) return undefined;
  return Number.parseInt(size, 10) * 1_024 ** (UNITS.indexOf(size.at(-2) ?? '') + 1);
}

/** What a hit is, as clients see it. */
export interface UsdFile {
  hit: CrossLibraryHit;
  /** Below `/raw/`, not encoded. */
  path: string;
}

/** Returns what decides whether a file passes the conditions that no index narrows; null if there are none. */
export function conditionsOf(request: UsdSearchRequest): ((file: UsdFile) => boolean) | null {
  const conditions: ((file: UsdFile) => boolean)[] = [];
  const add = (
    patterns: string | null | undefined,
    textOf: (file: UsdFile) => string,
    isWanted: boolean,
    shape?: (pattern: string) => string,
  ) => {
    if (!patterns) return;
    const matches = anyPattern(patterns, shape);
    conditions.push((file) => matches(textOf(file)) === isWanted);
  };
  add(request.file_extension_include, extensionOf, true);
  add(request.file_extension_exclude, extensionOf, false);
  add(request.file_name, nameOf, true, anywhere);
  add(request.exclude_file_name, nameOf, false, anywhere);
  add(request.search_path, pathOf, true, below);
  add(request.exclude_search_path, pathOf, false, below);
  const all = clausesIn(request.filter_by_properties);
  const any = clausesIn(request.filter_by_properties_include_any);
  const none = clausesIn(request.exclude_filter_by_properties);
  if (all.length > 0) conditions.push(({ hit }) => all.every((clause) => hasProperty(hit, clause)));
  if (any.length > 0) conditions.push(({ hit }) => any.some((clause) => hasProperty(hit, clause)));
  if (none.length > 0) conditions.push(({ hit }) => !none.some((clause) => hasProperty(hit, clause)));
  return conditions.length === 0 ? null : (file) => conditions.every((passes) => passes(file));
}

const nameOf = ({ path }: UsdFile) => path.slice(path.lastIndexOf('/') + 1);
const extensionOf = ({ path }: UsdFile) => path.slice(path.lastIndexOf('.') + 1);

const pathOf = ({ path }: UsdFile) => `/${path}`;
const anywhere = (name: string) => `*${name}*`;
/** A folder stands for everything below it, with or without its first slash. */
const below = (folder: string) => `${folder.replace(/^(?![/*])/, '/')}*`;

interface Clause {
  name: string;
  value: string;
}

/** Reads `name=value,name=~pattern`. */
function clausesIn(properties: string | null | undefined): Clause[] {
  return termsIn(properties).map((term) => {
    const at = term.indexOf('=');
    return at < 0
      ? { name: term, value: '*' }
      : { name: term.slice(0, at), value: term.slice(at + 1).replace(/^~/, '') || '*' };
  });
}

function termsIn(list: string | null | undefined): string[] {
  return (list ?? '').split(',').flatMap((term) => term.trim() || []);
}

function propertiesNamed(name: string) {
  const isNamed = wildcard(name);
  return Object.entries(PROPERTIES).flatMap(([property, filter]) => (isNamed(property) ? filter : []));
}

function hasProperty(hit: CrossLibraryHit, { name, value }: Clause): boolean {
  const isValue = wildcard(value);
  return propertiesNamed(name).some((property) => {
    const values = property === 'tag' ? hit.tags : [hit[property]];
    return values.some((one) => one !== null && isValue(one));
  });
}
