import type {
  EmptyingFilters,
  RelevanceFacets,
  SearchExplanation,
  SearchHit,
  UnderstoodPart,
} from '@bindery/contract';
import {
  FEATURES,
  isLicenseClass,
  LICENSE_CLASSES,
  LIMITS,
  routes,
  SEMANTIC_HEADER,
  SIMILARITIES,
} from '@bindery/contract/wire';
import {
  type Client,
  formatLibraryAddress,
  type LibraryAddress,
  libraryParams,
  readQuery,
} from '@bindery/sdk';
import {
  defineCommand,
  flag,
  integer,
  oneOf,
  option,
  optionalArgument,
  type Parse,
  repeatedOption,
  text,
} from '../../command.ts';
import { usageError } from '../../output/command-error.ts';
import { sanitizeLine } from '../../output/text.ts';
import { releaseAddress, share } from './inputs.ts';
import { findLicenseSpelling, licensesOfLibraries } from './license-spelling.ts';
import { explainReason } from './report.ts';
import { emptiedNotes, facetLines, partialNote, rangeOf, understoodNote } from './search-filters.ts';
import { askSimilar, crop, likeAddress, showSimilar } from './similar.ts';

const TRUE = 'true' as const;

/** A letter or digit that the tokens of the specified order do not have. */
const BEYOND_ASCII = /(?![a-z0-9])[\p{L}\p{N}]/iu;

/** Maximum number of licences named. */
const MAX_SHOWN = 10;

/** Categories and kinds are lower case, however they are typed. */
const lowerCaseText: Parse<string> = (value) => text(value).toLowerCase();

interface SearchResponse {
  bytes: Buffer;
  /** Why the search was semantic or not. */
  reason: string | undefined;
  /** The library that was searched, if it was a single one. */
  library: LibraryAddress | null;
  /** Whether it was searched by likeness, which has an answer of its own. */
  isSimilar?: boolean;
  /** Licences that could have been asked for; only if nothing has one of those that were. */
  licenses?: readonly string[];
}

interface SearchBody {
  semantic: boolean;
  total: number;
  didYouMean?: string;
  facets?: RelevanceFacets;
  understood?: UnderstoodPart[];
  emptied?: EmptyingFilters[];
  skipped?: { library: string; reason: string }[];
  partial?: { searched: number; libraries: number };
  hits: (SearchHit & { namespace?: string; library?: string })[];
}

export const search = defineCommand({
  name: 'search',
  summary: 'Search everything you can read, or some libraries',
  description:
    'Without --library it searches everything you can read, by relevance. "two words" in quotes are a phrase, -word excludes a word. ' +
    'An empty query lists everything that the filters match. By relevance, "under 5 MB", "six joints", "CC0 or MIT" and the like in the query are filters, ' +
    'and the answer says which were. Ranges are written 2..5, 2.. or ..5. With --json it prints the response of the server unchanged.',
  inputs: {
    query: optionalArgument('<query>', 'what to look for'),
    library: repeatedOption('<ns/name[@release]>', 'only this library; can be repeated', releaseAddress),
    rank: option(
      '<order>',
      'with --library: specified (the default, for a single kind, category, licence and tag, and words of a to z) or relevance',
      oneOf('specified', 'relevance'),
    ),
    category: repeatedOption('<category>', 'only this category; can be repeated', lowerCaseText),
    kind: repeatedOption(
      '<kind>',
      'only this kind (mjcf, urdf, mesh, splat, …); can be repeated',
      lowerCaseText,
    ),
    license: repeatedOption(
      '<license>',
      `only this licence, in any letter case, or this class of them (${LICENSE_CLASSES.join(', ')}); can be repeated`,
      text,
    ),
    tag: repeatedOption('<tag>', 'only this tag; can be repeated', text),
    format: repeatedOption('<format>', 'only this format (glb, usd, stl, …); can be repeated', text),
    author: repeatedOption(
      '<author>',
      'only by this author, as attributions name them; can be repeated',
      text,
    ),
    has: repeatedOption(
      '<feature>',
      'only with a texture, an animation, or certified by simulation; can be repeated',
      oneOf(...FEATURES),
    ),
    size: repeatedOption(
      '<range>',
      'only downloads of this size, such as ..5MB; can be repeated',
      rangeOf('bytes'),
    ),
    height: repeatedOption('<range>', 'only this tall, such as 20cm..1m; can be repeated', rangeOf('height')),
    extent: repeatedOption('<range>', 'only with such a longest side; can be repeated', rangeOf('extent')),
    mass: repeatedOption('<range>', 'only of this mass, such as ..2kg; can be repeated', rangeOf('mass')),
    joints: repeatedOption('<range>', 'only with so many joints; can be repeated', rangeOf('joints')),
    triangles: repeatedOption(
      '<range>',
      'only with so many triangles, such as ..10k; can be repeated',
      rangeOf('triangles'),
    ),
    asWords: repeatedOption(
      '<text>',
      'search for this part of the query as words, not as a filter; can be repeated',
      text,
    ),
    sort: option(
      '<order>',
      'relevance (the default), newest, title or size; with --library, needs --rank relevance',
      oneOf('relevance', 'newest', 'title', 'size'),
    ),
    facets: flag('count the hits by each filter; with --library, needs --rank relevance'),
    limit: option(
      '<n>',
      `hits on a page (1 to ${LIMITS.search.max})`,
      integer({ min: 1, max: LIMITS.search.max }),
    ),
    offset: option('<n>', 'hits to skip', integer({ min: 0 })),
    like: option(
      '<ns/name/asset|file>',
      'in place of a query: what looks like this asset, or like the model or the picture in a file',
      likeAddress,
    ),
    part: option(
      '<name>',
      'with --like: only this link, body or object of the model, with all that hangs on it',
      text,
    ),
    crop: option('<x,y,w,h>', 'with --like: where the thing is in the picture, in pixels', crop),
    match: option(
      '<match>',
      'with --like: only identical files, duplicates (the same model rescaled, exported again, reduced or mirrored), shapes, or pictures',
      oneOf(...SIMILARITIES),
    ),
    explain: flag('explain the rank of every hit'),
    share,
  },
  examples: [
    ['bindery search "mug"', 'in everything you can read'],
    ['bindery search "gripper under 5 MB, CC0 or MIT"', 'with filters in plain words'],
    ['bindery search arm --license permissive --joints 6.. --mass ..10kg', 'the same with options'],
    ['bindery search gripper --kind mjcf --kind urdf --facets', 'of either kind, with counts per filter'],
    ['bindery library search "robot hand" --library acme/robots', 'in one library'],
    ['bindery library search chair --library acme/home --library bob/office', 'in two at once'],
    ['bindery search --like acme/home/mug', 'what looks like an asset'],
    ['bindery search --like photo.png --kind mesh', 'what looks like a picture'],
    ['bindery search --like photo.jpg --crop 120,80,300,200', 'what looks like one thing in a picture'],
    ['bindery search --like arm.urdf --part gripper_link', 'what looks like one part of a robot'],
    ['bindery search --like chair.stl --match duplicate', 'whether a model is there already'],
    [
      'bindery library search "" --library acme/robots --kind mjcf --license MIT',
      'everything that the filters match',
    ],
  ],
  async run(
    {
      query: asQuery,
      like,
      part,
      crop,
      match,
      library: libraries,
      share,
      explain,
      facets,
      rank,
      limit,
      offset,
      sort,
      size: bytes,
      ...filters
    },
    context,
  ): Promise<SearchResponse> {
    if (like !== undefined) {
      if (asQuery !== undefined || rank !== undefined || sort !== undefined || explain || facets)
        throw usageError(
          '--like takes the place of a query, and what it finds has an order of its own.',
          'Leave out the query, --rank, --sort, --explain and --facets.',
        );
      const { asWords: _, ...narrowing } = filters;
      const wanted = libraries.map(({ namespace, name }) => `${namespace}/${name}`);
      const narrowed = { ...narrowing, bytes, match, limit, offset };
      const query = wanted.length === 0 ? narrowed : { ...narrowed, library: wanted };
      const answer = await askSimilar(await context.client(), like, { query, share, part, crop }, context);
      return { bytes: answer, reason: undefined, library: null, isSimilar: true };
    }
    for (const [name, given] of Object.entries({ match, part, crop }))
      if (given !== undefined)
        throw usageError(`--${name} needs --like.`, 'Add --like <ns/name/asset|file>.');
    const query = asQuery ?? '';
    if (share !== undefined && libraries.length !== 1)
      throw usageError('--share is for one library; search only that one.');
    if (libraries.length > 1 && libraries.some(({ release }) => release !== undefined))
      throw usageError(
        'A release can only be searched by itself.',
        'Leave out the other libraries, or the release.',
      );
    if (rank === 'specified' && libraries.length === 0)
      throw usageError(
        'A search of everything is by relevance.',
        'Add --library <ns/name>, or leave out --rank.',
      );
    const { category, kind, license, tag, ...others } = filters;
    const values = { category, kind, license, tag };
    // Beyond the specification, so there is only one order in which they can be answered.
    const isExtended =
      license.some(isLicenseClass) || [bytes, ...Object.values(others)].some((given) => given.length > 0);
    if (isExtended && rank === 'specified')
      throw usageError(
        'Only --category, --kind, --license and --tag are filters of --rank specified.',
        'Leave out --rank, or the other filters.',
      );
    const isUnseen = libraries.length > 0 && rank === undefined && BEYOND_ASCII.test(query);
    if (isUnseen)
      context.output.note(
        'Searched by relevance: the specified order sees the letters a to z alone (--rank specified asks for it).',
      );
    const asSpecified = libraries.length > 0 && rank !== 'relevance' && !isExtended && !isUnseen;
    const needsRelevance =
      facets || sort !== undefined || Object.values(values).some((given) => given.length > 1);
    if (asSpecified && needsRelevance)
      throw usageError(
        'Several values of a filter, --sort and --facets need --rank relevance.',
        'Add --rank relevance.',
      );
    const client = await context.client();
    const searched = libraries.map((library) => ({ ...library, share }));
    const flags = { explain: explain ? TRUE : undefined, facets: facets ? TRUE : undefined };
    const asked = { q: query, ...filters, bytes, limit, offset, sort, ...flags };
    const found =
      libraries.length === 0
        ? await askEverywhere(client, asked)
        : await askLibraries(
            client,
            searched,
            { ...asked, rank: asSpecified ? undefined : 'relevance' },
            asSpecified,
          );
    if (asSpecified && license.length > 0 && !context.output.json && parseBody(found).total === 0)
      return { ...found, licenses: await licensesOfLibraries(client, searched) };
    return found;
  },
  json: ({ bytes }) => bytes,
  render(found, output) {
    if (found.isSimilar) return showSimilar(found.bytes, output);
    const { reason, library } = found;
    const body = parseBody(found);
    const { semantic, total, didYouMean, understood, emptied, skipped = [], partial, facets, hits } = body;
    if (didYouMean !== undefined) output.note(`Did you mean: ${sanitizeLine(didYouMean)}`);
    if (understood !== undefined) output.note(understoodNote(understood));
    for (const { library, reason } of skipped)
      output.warn(`${sanitizeLine(library)} was left out: ${SKIPPED[reason] ?? sanitizeLine(reason)}`);
    if (partial !== undefined) output.warn(partialNote(partial));
    output.table({
      headings: ['asset', 'score', 'kind', 'license', 'title'],
      rightAligned: [1],
      rows: hits.map((hit) => hitRow(hit, library)),
      below: hits.map(({ explain }) =>
        explain ? explanationLines(explain).map((line) => `    ${line}`) : [],
      ),
    });
    if (found.licenses !== undefined) output.note(licenseNote(found.licenses));
    for (const line of emptied ? emptiedNotes(emptied) : []) output.note(line);
    for (const line of facets ? facetLines(facets) : []) output.note(line);
    output.note(`${hits.length} of ${total} hits · semantic ${semantic ? 'on' : 'off'}`);
    if (!semantic && reason !== undefined && reason !== 'no-query') {
      output.note(`By keyword alone (${explainReason(reason)}).`);
    }
    if (semantic && hits.some(({ explain }) => explain && !explain.sentences)) {
      output.note(
        'Scores: meaning and keywords each range from 0 (lowest of the candidates) to 1 (highest).',
      );
    }
  },
});

async function askEverywhere(client: Client, asked: { q: string }): Promise<SearchResponse> {
  const { bytes, headers } = await client.raw(routes.search.searchEverything, { query: asked });
  return { bytes, reason: headers[SEMANTIC_HEADER], library: null };
}

/** With `rank=specified` a licence is compared exactly: if nothing has it, another spelling of it is looked for. */
async function askLibraries(
  client: Client,
  libraries: readonly LibraryAddress[],
  asked: { q: string; license: string[]; rank: 'relevance' | undefined },
  asSpecified: boolean,
): Promise<SearchResponse> {
  const found = await requestSearch(client, libraries, asked);
  const [typed] = asked.license;
  if (!asSpecified || typed === undefined || parseBody(found).total > 0) return found;
  const written = await findLicenseSpelling(client, libraries, typed);
  return written === null ? found : requestSearch(client, libraries, { ...asked, license: [written] });
}

function licenseNote(licenses: readonly string[]): string {
  if (licenses.length === 0) return 'Nothing here states a licence.';
  const shown = licenses.slice(0, MAX_SHOWN).map(sanitizeLine);
  const more = licenses.length - shown.length;
  return `Nothing has this licence. The licences here are: ${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''}.`;
}

async function requestSearch(
  client: Client,
  libraries: readonly LibraryAddress[],
  asked: { q: string; license: string[] },
): Promise<SearchResponse> {
  const [library] = libraries;
  if (libraries.length === 1 && library !== undefined) {
    const { bytes, headers } = await client.raw(routes.search.searchLibrary, {
      params: libraryParams(library),
      query: { ...asked, ...readQuery(library) },
    });
    return { bytes, reason: headers[SEMANTIC_HEADER], library };
  }
  const { bytes, headers } = await client.raw(routes.search.searchLibraries, {
    query: { ...asked, libraries: libraries.map(formatLibraryAddress).join(',') },
  });
  return { bytes, reason: headers[SEMANTIC_HEADER], library: null };
}

function parseBody({ bytes }: SearchResponse): SearchBody {
  return JSON.parse(bytes.toString('utf8')) as SearchBody;
}

const SKIPPED: Readonly<Record<string, string>> = {
  not_found: 'there is no such library, or none that you can see',
  unavailable: 'it cannot be read at the moment',
};

function hitRow(hit: SearchBody['hits'][number], only: LibraryAddress | null): string[] {
  const library = only === null ? `${hit.namespace}/${hit.library}` : formatLibraryAddress(only);
  const { assetId, score, kind, license, title, entryPoint } = hit;
  const opens = [title, entryPoint].filter(Boolean).join(' · ');
  return [`${library}/${assetId}`, shortScore(score), kind, license ?? '', opens].map(sanitizeLine);
}

/** Returns which words were found where, if any were, and how the score is computed. */
function explanationLines({
  terms,
  keyword,
  cosine,
  keywordPart,
  vectorPart,
  score,
  sentences,
}: SearchExplanation) {
  if (sentences) return sentences.map(sanitizeLine);
  const found = keyword === null ? [] : [`keywords ${shortScore(keyword)}: ${matches(terms)}`];
  if (keywordPart === null && vectorPart === null) return found;
  const meaning = cosine === null ? 'no vector' : `cosine ${shortScore(cosine)}`;
  const words = keyword === null ? 'no keyword' : `keywords ${shortScore(keyword)}`;
  const sum = [
    `${shortScore(vectorPart ?? 0)} × 1.0 (${meaning})`,
    `${shortScore(keywordPart ?? 0)} × 0.3 (${words})`,
  ];
  return [...found, `score ${shortScore(score)} = ${sum.join(' + ')}`];
}

/** `robot in description 1; arm in title 3, tags 2`; an ellipsis follows a term that matched as a prefix. */
function matches(terms: SearchExplanation['terms']): string {
  const byTerm = new Map<string, string[]>();
  for (const { term, field, match, weight } of terms) {
    const word = match === 'exact' ? sanitizeLine(term) : `${sanitizeLine(term)}…`;
    byTerm.set(word, [...(byTerm.get(word) ?? []), `${field} ${weight}`]);
  }
  return [...byTerm].map(([word, fields]) => `${word} in ${fields.join(', ')}`).join('; ');
}

function shortScore(score: number): string {
  return String(Number(score.toFixed(3)));
}
