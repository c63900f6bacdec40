import { type Part, readEach } from './part.ts';

/** A way to name licences: what it is in SPDX, and whether it cannot mean anything else. */
interface LicenseName {
  pattern: RegExp;
  isPlain: boolean;
  values(match: RegExpExecArray): string[];
}

const CC_VERSIONS = ['4.0', '3.0', '2.5', '2.0', '1.0'];

const NAMES: readonly LicenseName[] = [
  { pattern: /^cc[- ]?0(?:[- ]1\.0)?$/, isPlain: true, values: () => ['CC0-1.0'] },
  {
    pattern: /^cc[- ]by((?:[- ](?:nc|sa|nd))*)(?:[- ](\d\.\d))?$/,
    isPlain: true,
    values: ([, terms = '', version]) =>
      (version === undefined ? CC_VERSIONS : [version]).map(
        (one) => `CC-BY${terms.replaceAll(' ', '-').toUpperCase()}-${one}`,
      ),
  },
  { pattern: /^apache[- ]?v?2(?:\.0)?$/, isPlain: true, values: () => ['Apache-2.0'] },
  { pattern: /^apache$/, isPlain: false, values: () => ['Apache-2.0'] },
  { pattern: /^mit$/, isPlain: false, values: () => ['MIT'] },
  {
    pattern: /^bsd$/,
    isPlain: false,
    values: () => ['BSD-3-Clause', 'BSD-2-Clause', 'BSD-4-Clause'],
  },
  {
    pattern: /^bsd[- ]?([0234])[- ]?clause$/,
    isPlain: true,
    values: ([, clauses]) => [`BSD-${clauses}-Clause`],
  },
  {
    pattern: /^([al]?gpl)(?:[- ]?v?(\d)(\.\d)?)?(?:-only|-or-later|\+)?$/,
    isPlain: true,
    values: ([, name = '', major, minor = '.0']) =>
      (major === undefined ? ['3.0', '2.1', '2.0'] : [`${major}${minor}`]).flatMap((version) =>
        ['', '-only', '-or-later', '+'].map((end) => `${name.toUpperCase()}-${version}${end}`),
      ),
  },
  { pattern: /^mpl[- ]?2(?:\.0)?$/, isPlain: true, values: () => ['MPL-2.0'] },
  { pattern: /^unlicense$/, isPlain: true, values: () => ['Unlicense'] },
  { pattern: /^permissive(?:ly)?$/, isPlain: true, values: () => ['permissive'] },
  { pattern: /^copyleft$/, isPlain: true, values: () => ['copyleft'] },
  { pattern: /^public[- ]domain$/, isPlain: true, values: () => ['public-domain'] },
  { pattern: /^attribution$/, isPlain: false, values: () => ['attribution'] },
  { pattern: /^non-?commercial$/, isPlain: false, values: () => ['non-commercial'] },
];

const NAME =
  '(?:cc[- ]?0(?:[- ]1\\.0)?|cc[- ]by(?:[- ](?:nc|sa|nd))*(?:[- ]\\d\\.\\d)?|apache(?:[- ]?v?2(?:\\.0)?)?|mit|bsd(?:[- ]?[0234][- ]?clause)?|' +
  '[al]?gpl(?:[- ]?v?\\d(?:\\.\\d)?)?(?:-only|-or-later|\\+)?|mpl[- ]?2(?:\\.0)?|unlicense|permissive(?:ly)?|copyleft|public[- ]domain|' +
  'attribution|non-?commercial)';
const WORD_END = '(?![\\p{L}\\p{N}]|[-.]\\p{N})';
const WORD_START = '(?<![\\p{L}\\p{N}.-])';
const LICENSE = 'licen[cs]e(?:[ds]|)|licensing|licencing';

/** `CC0 or MIT`, `MIT license`, `under Apache`. */
const NAMED = new RegExp(
  `${WORD_START}(?<before>(?:(?:${LICENSE})(?: is)?[: ]+(?:under |as )?|(?:released |available )?under )(?:the |an? )?|with (?:an? |any )?|\\()?` +
    `(?<names>${NAME}(?:\\s*(?:,|/|\\bor\\b|\\band\\b)\\s*(?:or )?${NAME})*)(?<after>[- ]+(?:${LICENSE})${WORD_END}(?! (?:plate|number))|\\))?${WORD_END}`,
  'giu',
);
const SEPARATOR = /\s*(?:,|\/|\bor\b|\band\b)\s*(?:or )?/i;

const COMMERCIAL =
  /(?<![\p{L}-])(?:(?:free |ok |okay |usable |allowed )?for commercial (?:use|projects?|purposes)|commercial use(?: (?:allowed|permitted|ok|okay))?|commercially usable)(?!\p{L})/giu;
const UNSTATED =
  /(?<![\p{L}-])(?:(?:without (?:an? |any )?|no )(?:licen[cs]e)(?: stated)?(?! (?:plate|number)\b)|unlicensed|licen[cs]e unstated|unstated licen[cs]e)(?!\p{L})/giu;

/** Reads the licences that a text asks for, by name or by what they permit. */
export function readLicenses(text: string): Part[] {
  return [
    ...readEach(text, NAMED, (match) => {
      const { before = '', names = '', after } = match.groups ?? {};
      const read = names.split(SEPARATOR).map((name) => nameOf(name.toLowerCase()));
      const isMeant =
        read.length > 1 ||
        (before !== '' && !before.startsWith('with')) ||
        after !== undefined ||
        read.some((name) => name?.isPlain) ||
        standsAlone(text, match);
      return isMeant
        ? { filter: 'license', values: [...new Set(read.flatMap((name) => name?.values ?? []))] }
        : null;
    }),
    ...readEach(text, COMMERCIAL, () => ({
      filter: 'license',
      values: ['permissive', 'attribution', 'copyleft'],
    })),
    ...readEach(text, UNSTATED, () => ({ filter: 'license', values: ['unstated'] })),
  ];
}

/** Whether a match is all that stands between commas, after one of them. */
function standsAlone(text: string, { 0: whole, index }: RegExpExecArray): boolean {
  return /,\s*$/.test(text.slice(0, index)) && /^\s*(?:,|$)/.test(text.slice(index + whole.length));
}

function nameOf(name: string): { isPlain: boolean; values: string[] } | null {
  for (const { pattern, isPlain, values } of NAMES) {
    const match = pattern.exec(name);
    if (match) return { isPlain, values: values(match) };
  }
  return null;
}
