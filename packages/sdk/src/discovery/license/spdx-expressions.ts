import parse from 'spdx-expression-parse';

/** URLs of licences, which people write instead of copying the text. */
const LICENSE_URLS: readonly (readonly [RegExp, (match: RegExpExecArray) => string])[] = [
  [
    /creativecommons\.org\/licenses\/(by(?:-nc)?(?:-nd|-sa)?)\/(\d\.\d)/gi,
    ([, kind = '', version = '']) => `CC-${kind.toUpperCase()}-${version}`,
  ],
  [/creativecommons\.org\/publicdomain\/zero\/1\.0/gi, () => 'CC0-1.0'],
  [/apache\.org\/licenses\/LICENSE-2\.0/gi, () => 'Apache-2.0'],
  [
    /(?:opensource|spdx)\.org\/licen[cs]es?\/([\w.-]+?)(?:\.html|\.php)?(?=[^\w.-]|$)/gi,
    ([, id = '']) => canonicalId(id),
  ],
];

/** Names of licences used in `package.xml`, glTF and the like. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^(?:apache(?: licen[cs]e)?,?(?: version)?|asl)[- ]?v?2(?:\.0)?(?: licen[cs]e)?$/i, 'Apache-2.0'],
  [/^(?:the )?mit(?: licen[cs]e)?$/i, 'MIT'],
  [/^(?:3-clause bsd|bsd[- ]?3(?:[- ]clause)?|new bsd|modified bsd)(?: licen[cs]e)?$/i, 'BSD-3-Clause'],
  [/^(?:2-clause bsd|bsd[- ]?2(?:[- ]clause)?|simplified bsd)(?: licen[cs]e)?$/i, 'BSD-2-Clause'],
  [/^(?:cc0|cc-?0|cc0 1\.0(?: universal)?|public domain(?: \(cc0\)| ?[-–:,] ?cc0))$/i, 'CC0-1.0'],
  [/^cc[- ]by(?:[- ](\d\.\d))?(?: international)?$/i, 'CC-BY-$1'],
  [/^cc[- ]by((?:[- ](?:nc|nd|sa))+)[- ](\d\.\d)(?: international)?$/i, 'CC-BY$1-$2'],
  [/^creative commons zero v?1\.0(?: universal)?$/i, 'CC0-1.0'],
  [/^creative commons attribution (\d\.\d)(?: international)?$/i, 'CC-BY-$1'],
  [/^creative commons attribution-sharealike (\d\.\d)(?: international)?$/i, 'CC-BY-SA-$1'],
  [/^gpl ?v?3(?:\.0)?$/i, 'GPL-3.0-only'],
  [/^gpl ?v?2(?:\.0)?$/i, 'GPL-2.0-only'],
  [/^lgpl ?v?2\.1$/i, 'LGPL-2.1-only'],
  [/^lgpl ?v?3(?:\.0)?$/i, 'LGPL-3.0-only'],
  [/^mozilla public licen[cs]e(?: version)? 2\.0$/i, 'MPL-2.0'],
];

/** Returns the SPDX expression that a declaration means; undefined if it is unknown or ambiguous, as "BSD" is. */
export function toSpdxExpression(declared: string): string | undefined {
  const written = declared.trim().replace(/\s+/g, ' ');
  if (isSpdxExpression(written)) return written;
  const named = NAMES.find(([name]) => name.test(written));
  const expression =
    named === undefined ? undefined : written.replace(named[0], named[1]).replaceAll(' ', '-');
  if (expression !== undefined && isSpdxExpression(expression)) return expression;
  const parts = written.split(/ AND |,|;/).map((part) => part.trim());
  if (parts.length === 1) return undefined;
  const each = parts.map(toSpdxExpression);
  return each.every((part) => part !== undefined) ? [...new Set(each)].join(' AND ') : undefined;
}

const MAX_EXPRESSION = 1_000;

/** Whether a text is an SPDX licence expression (SPDX specification, annex "SPDX license expressions"). */
export function isSpdxExpression(text: string): boolean {
  try {
    // The parser takes time by the square of the length.
    if (text.length > MAX_EXPRESSION) return false;
    parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns an id in the letter case of `COMMON`. */
function canonicalId(id: string): string {
  return COMMON.find((common) => common.toLowerCase() === id.toLowerCase()) ?? id;
}

const COMMON = [
  'MIT',
  'ISC',
  'Zlib',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'MPL-2.0',
  'CC0-1.0',
  'CC-BY-4.0',
];
/** Number of leading lines in which a document can say what it is. */
const TITLE_LINES = 6;

/** Returns the licences that a text names by SPDX tags, else by its title, else by well-known URLs. */
export function namedLicenses(text: string): string | undefined {
  const tags = text.matchAll(
    /SPDX[- ]licen[cs]e[- ]identifier:[\s"'`]*([\w.+(-][\w.+\- ()]*)([^\]\r\n*"'`]?)/gi,
  );
  const tagged = [...tags]
    // Anything else behind it is part of a sentence.
    .filter(([, , behind]) => behind === '')
    .map(([, written = '']) => written.trim())
    .map((written) => (isSpdxExpression(written) ? written : written.replace(/\)$/, '')))
    .filter(isSpdxExpression);
  const found = [tagged, licensesInTitle(text), licensesInUrls(text)].find(({ length }) => length > 0) ?? [];
  const unique = [...new Set(found)].sort();
  return unique.length === 0 || unique.length > 4 ? undefined : unique.join(' AND ');
}

/** Finds a leading line that is the name of a licence and nothing else. */
function licensesInTitle(text: string): string[] {
  const lines = text
    .split('\n', TITLE_LINES)
    .map((line) => line.replace(/^[#\s*_]+|(?<![\s*_.:])[\s*_.:]+$/g, ''));
  const found = lines.map(toSpdxExpression).find((expression) => expression !== undefined);
  return found === undefined ? [] : [found];
}

function licensesInUrls(text: string): string[] {
  return LICENSE_URLS.flatMap(([address, idOf]) =>
    [...text.matchAll(address)]
      .map((match) => idOf(match as unknown as RegExpExecArray))
      .filter(isSpdxExpression),
  );
}
