import { FEATURES, LICENSE_CLASSES, LIMITS, SIMILARITIES } from '@bindery/contract/wire';
import {
  flag,
  integer,
  oneOf,
  option,
  optionalArgument,
  type Parse,
  repeatedOption,
  text,
  type ValuesOf,
} from '../../command.ts';
import { releaseAddress, share } from './inputs.ts';
import { rangeOf } from './search-filters.ts';
import { crop, likeAddress } from './similar.ts';

/** Categories and kinds are lower case, however they are typed. */
const lowerCaseText: Parse<string> = (value) => text(value).toLowerCase();

/** What a search by words and one by likeness take. */
export const searchInputs = {
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
  author: repeatedOption('<author>', 'only by this author, as attributions name them; can be repeated', text),
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
};

export type SearchInputs = ValuesOf<typeof searchInputs>;
