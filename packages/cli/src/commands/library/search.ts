import { defineCommand } from '../../command.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../output/command-error.ts';
import { type SearchInputs, searchInputs } from './search-inputs.ts';
import { searchByWords, showFound, type WordSearch, type WordsFound } from './search-words.ts';
import { askSimilar, showSimilar } from './similar.ts';

export const search = defineCommand({
  name: 'search',
  summary: 'Search everything you can read, or some libraries',
  description:
    'Without --library it searches everything you can read, by relevance. "two words" in quotes are a phrase, -word excludes a word. ' +
    'An empty query lists everything that the filters match. By relevance, "under 5 MB", "six joints", "CC0 or MIT" and the like in the query are filters, ' +
    'and the answer says which were. Ranges are written 2..5, 2.. or ..5. With --json it prints the response of the server unchanged.',
  inputs: searchInputs,
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
  async run({ like, part, crop, match, ...asked }, context): Promise<WordsFound | { similar: Buffer }> {
    if (like !== undefined)
      return { similar: await searchByLikeness(like, { part, crop, match }, asked, context) };
    for (const [name, given] of Object.entries({ match, part, crop }))
      if (given !== undefined)
        throw usageError(`--${name} needs --like.`, 'Add --like <ns/name/asset|file>.');
    return searchByWords(asked, context);
  },
  json: (found) => ('similar' in found ? found.similar : found.bytes),
  render(found, output) {
    if ('similar' in found) showSimilar(found.similar, output);
    else showFound(found, output);
  },
});

async function searchByLikeness(
  like: NonNullable<SearchInputs['like']>,
  { match, ...extract }: Pick<SearchInputs, 'part' | 'crop' | 'match'>,
  {
    query,
    rank,
    sort,
    explain,
    facets,
    library: libraries,
    share,
    size: bytes,
    asWords: _,
    ...narrowing
  }: WordSearch,
  context: Context,
): Promise<Buffer> {
  if (query !== undefined || rank !== undefined || sort !== undefined || explain || facets)
    throw usageError(
      '--like takes the place of a query, and what it finds has an order of its own.',
      'Leave out the query, --rank, --sort, --explain and --facets.',
    );
  const wanted = libraries.map(({ namespace, name }) => `${namespace}/${name}`);
  const narrowed = { ...narrowing, bytes, match, ...(wanted.length > 0 && { library: wanted }) };
  return askSimilar(await context.client(), like, { query: narrowed, share, ...extract }, context);
}
