import type {
  EmptyingFilters,
  RelevanceFacets,
  SearchExplanation,
  SearchHit,
  UnderstoodPart,
} from '@bindery/contract';
import { isLicenseClass, routes, SEMANTIC_HEADER } from '@bindery/contract/wire';
import {
  type Client,
  formatLibraryAddress,
  type LibraryAddress,
  libraryParams,
  readQuery,
} from '@bindery/sdk';
import type { Context } from '../../context.ts';
import { usageError } from '../../output/command-error.ts';
import type { Output } from '../../output/output.ts';
import { sanitizeLine } from '../../output/text.ts';
import { findLicenseSpelling, licensesOfLibraries } from './license-spelling.ts';
import { explainReason } from './report.ts';
import { emptiedNotes, facetLines, partialNote, understoodNote } from './search-filters.ts';
import type { SearchInputs } from './search-inputs.ts';

const TRUE = 'true' as const;

/** A letter or digit that the tokens of the specified order do not have. */
const BEYOND_ASCII = /(?![a-z0-9])[\p{L}\p{N}]/iu;

/** Maximum number of licences named. */
const MAX_SHOWN = 10;

export interface WordsFound {
  bytes: Buffer;
  /** Why the search was semantic or not. */
  reason: string | undefined;
  /** The library that was searched, if it was a single one. */
  library: LibraryAddress | null;
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

/** What a search by words takes. */
export type WordSearch = Omit<SearchInputs, 'like' | 'part' | 'crop' | 'match'>;

/** Searches everything, or some libraries. Throws `CommandError` for inputs that contradict each other. */
export async function searchByWords(
  {
    query = '',
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
  }: WordSearch,
  context: Context,
): Promise<WordsFound> {
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
}

/** Prints what was found by words. */
export function showFound(found: WordsFound, output: Output): void {
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
    below: hits.map(({ explain }) => (explain ? explanationLines(explain).map((line) => `    ${line}`) : [])),
  });
  if (found.licenses !== undefined) output.note(licenseNote(found.licenses));
  for (const line of emptied ? emptiedNotes(emptied) : []) output.note(line);
  for (const line of facets ? facetLines(facets) : []) output.note(line);
  output.note(`${hits.length} of ${total} hits · semantic ${semantic ? 'on' : 'off'}`);
  if (!semantic && reason !== undefined && reason !== 'no-query') {
    output.note(`By keyword alone (${explainReason(reason)}).`);
  }
  if (semantic && hits.some(({ explain }) => explain && !explain.sentences)) {
    output.note('Scores: meaning and keywords each range from 0 (lowest of the candidates) to 1 (highest).');
  }
}

async function askEverywhere(client: Client, asked: { q: string }): Promise<WordsFound> {
  const { bytes, headers } = await client.raw(routes.search.searchEverything, { query: asked });
  return { bytes, reason: headers[SEMANTIC_HEADER], library: null };
}

/** With `rank=specified` a licence is compared exactly: if nothing has it, another spelling of it is looked for. */
async function askLibraries(
  client: Client,
  libraries: readonly LibraryAddress[],
  asked: { q: string; license: string[]; rank: 'relevance' | undefined },
  asSpecified: boolean,
): Promise<WordsFound> {
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
): Promise<WordsFound> {
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

function parseBody({ bytes }: WordsFound): SearchBody {
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
