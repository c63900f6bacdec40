import { FORMATS, type Format } from '@bindery/formats';
import { type Part, readEach } from './part.ts';

type Meaning = Pick<Part, 'filter' | 'values'>;

/** Formats and kinds by the words for them. */
const MEANT = meanings(({ spoken }) => spoken);
/** Words that mean a format only where `file` or `format` follows. */
const ONLY_AS_FORMATS = meanings(({ spokenBefore }) => spokenBefore);

function meanings(
  wordsOf: (format: Format) => readonly string[] | undefined,
): Readonly<Record<string, Meaning>> {
  return Object.fromEntries(
    FORMATS.flatMap((format) => (wordsOf(format) ?? []).map((word) => [word, meaningOf(word, format)])),
  );
}

/** The name of a robot's format is a kind of asset, that of others means all of their extensions. */
function meaningOf(word: string, { name, family, extensions, ambiguous = [] }: Format): Meaning {
  if (word !== name || name === 'xacro') return { filter: 'format', values: [word] };
  return family === 'robot'
    ? { filter: 'kind', values: [name] }
    : { filter: 'format', values: [...extensions, ...ambiguous] };
}

/** What makes another word of the name of a format: what is before it, or after it. */
const OTHERWISE: Readonly<Record<string, { before: RegExp; after: RegExp }>> = {
  usd: {
    before: /[\d$]\s*$|(?<!\p{L})(?:coins?|cash|money|price)\s*$/iu,
    after:
      /^\s*(?:\d|(?:coins?|dollars?|bills?|notes?|banknotes?|currency|cash|money|price|sign|symbol)(?!\p{L}))/iu,
  },
  ply: {
    before: /(?:\d|(?<!\p{L})(?:one|two|three|four|multi))[ -]*$/iu,
    after: /^\s*(?:wood|board|bamboo|yarn|paper|rating)(?!\p{L})/iu,
  },
};

const NAME = Object.keys(MEANT).join('|');
const NAMES = new RegExp(
  `(?<![\\p{L}\\p{N}-])(?<as>(?:as|in) (?:an? )?)?(?<dot>\\.)?(?<names>(?:${NAME})(?: or (?:${NAME}))*|${Object.keys(ONLY_AS_FORMATS).join('|')})(?<file> (?:files?|format))?(?![\\p{L}\\p{N}-])`,
  'giu',
);

/** Reads the format that a text asks for: a name of one at its beginning or end, or where `file` or `format` says so. */
export function readFormats(text: string): Part[] {
  return readEach(text, NAMES, (match) => {
    const { as, dot, names = '', file } = match.groups ?? {};
    const name = names.toLowerCase();
    if (name in ONLY_AS_FORMATS) return file === undefined ? null : (ONLY_AS_FORMATS[name] ?? null);
    const [before, after] = [text.slice(0, match.index), text.slice(match.index + match[0].length)];
    const otherwise = OTHERWISE[name];
    if (otherwise?.before.test(before) || otherwise?.after.test(after)) return null;
    const isAtEdge = isBlank(before) || isBlank(after);
    if (!isAtEdge && as === undefined && dot === undefined && file === undefined) return null;
    const meant = name.split(' or ').flatMap((one) => MEANT[one] ?? []);
    const [first] = meant;
    if (first === undefined || meant.some(({ filter }) => filter !== first.filter)) return null;
    return { filter: first.filter, values: [...new Set(meant.flatMap(({ values }) => values))] };
  });
}

function isBlank(text: string): boolean {
  return !/[\p{L}\p{N}]/u.test(text.replace(/^\s*(?:an?|the|some)\s/i, ''));
}
