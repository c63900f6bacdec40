import type { Credit, CreditedLicense, Credits } from './credits.ts';

/**
 * Formats the credits of one or several libraries as a Markdown page, by licence. Assets without one come first, since
 * somebody has to ask for it.
 */
export function creditsAsMarkdown(libraries: readonly Credits[]): string {
  const [only, ...more] = libraries;
  const isOne = only !== undefined && more.length === 0;
  const lines = isOne ? headOfOne(only) : headOfSeveral(libraries);
  const assets = libraries.flatMap((credits) =>
    credits.assets.map((asset) => ({
      asset,
      address: isOne ? asset.id : `${credits.library}/${asset.id}`,
    })),
  );
  for (const [heading, group] of byLicense(assets)) {
    lines.push('', `## ${escapeMarkdown(heading)}`);
    for (const one of group) lines.push('', ...section(one));
  }
  return `${lines.join('\n')}\n`;
}

const WHAT_FOLLOWS = 'whether files were changed before they were published is not recorded.';

function headOfOne(credits: Credits): string[] {
  return [
    `# Credits of ${escapeMarkdown(credits.title ?? credits.library)}`,
    '',
    `${revisionOf(credits)}. Everything below was stated by its publisher; ${WHAT_FOLLOWS}`,
    ...paragraph(factsOf(credits)),
  ];
}

function headOfSeveral(libraries: readonly Credits[]): string[] {
  return [
    '# Credits',
    '',
    `Everything below was stated by the publishers of these libraries; ${WHAT_FOLLOWS}`,
    ...paragraph(
      libraries.flatMap((credits) => [
        `- ${escapeMarkdown(credits.title ?? credits.library)}: ${revisionOf(credits)}`,
        ...factsOf(credits).map((fact) => `  ${fact}`),
      ]),
    ),
  ];
}

function revisionOf({ library, release, revision, publishedAt }: Credits): string {
  const named = release === null ? '' : `, release \`${release}\``;
  const when = publishedAt === null ? '' : `, published ${publishedAt}`;
  return `Revision ${revision} of \`${library}\`${named}${when}`;
}

function factsOf({ provider, homepage, upstream }: Credits): string[] {
  return facts([
    ['Published by', provider],
    ['Homepage', homepage],
    ['Source', upstream.repo],
    ['Commit', upstream.commit],
  ]);
}

/** An asset and its name on the page. */
interface Addressed {
  asset: Credit;
  address: string;
}

function section({ asset: { id, title, attribution, source, digest }, address }: Addressed): string[] {
  return [
    `### ${escapeMarkdown(title ?? id)}`,
    ...paragraph(
      facts([
        ['Asset', address],
        ['By', attribution],
        ['Source', source],
        ['Digest of its files', digest],
      ]),
    ),
  ];
}

function facts(named: readonly (readonly [string, string | null])[]): string[] {
  return named.flatMap(([name, value]) => (value === null ? [] : [`- ${name}: ${escapeMarkdown(value)}`]));
}

function paragraph(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', ...lines];
}

function byLicense(assets: readonly Addressed[]): [string, Addressed[]][] {
  const groups = Map.groupBy(assets, ({ asset }) => headingOf(asset.license));
  const rank = (heading: string) => (heading === UNKNOWN ? 0 : 1);
  return [...groups].sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

const UNKNOWN = 'No licence stated';

function headingOf(license: CreditedLicense): string {
  if (license.kind === 'unknown') return UNKNOWN;
  return license.kind === 'expression' ? license.expression : license.text;
}

/** Characters to escape. Parentheses make no link without brackets; within a word, `_` is literal. */
const MARKUP = /[\\`*{}[\]<>#!|~&]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

/** Controls a terminal that shows the page, or reorders its text. */
const CONTROL = /\p{Cc}|\p{Bidi_Control}/gu;

/** Returns text by an author on one line, with all markup escaped; a web address becomes a link. */
function escapeMarkdown(value: string): string {
  const line = value.replace(/\s+/g, ' ').replace(CONTROL, '').trim();
  if (/^https?:\/\/\S+$/i.test(line) && URL.canParse(line)) return `<${new URL(line).href}>`;
  return line.replace(MARKUP, '\\$&');
}
