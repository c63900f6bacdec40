import type { Credit, CreditedLicense, Credits } from './credits.ts';

/** Credits as a page for people, by licence; assets without one come first, since somebody has to ask for it. */
export function creditsAsMarkdown(credits: Credits): string {
  const lines = [
    `# Credits of ${text(credits.title ?? credits.library)}`,
    '',
    `Revision ${credits.revision} of \`${credits.library}\`, published ${credits.publishedAt}. What follows is what its publisher says; whether files were changed before they were published is not recorded.`,
    ...facts([
      ['Published by', credits.provider],
      ['Homepage', credits.homepage],
      ['Source', credits.upstream.repo],
      ['Commit', credits.upstream.commit],
    ]),
  ];
  for (const [heading, assets] of byLicense(credits.assets)) {
    lines.push('', `## ${text(heading)}`);
    for (const asset of assets) lines.push('', ...section(asset));
  }
  return `${lines.join('\n')}\n`;
}

function section({ id, title, attribution, source, digest }: Credit): string[] {
  return [
    `### ${text(title ?? id)}`,
    ...facts([
      ['Asset', id],
      ['By', attribution],
      ['Source', source],
      ['Digest of its files', digest],
    ]),
  ];
}

function facts(named: readonly (readonly [string, string | null])[]): string[] {
  const known = named.flatMap(([name, value]) => (value === null ? [] : [`- ${name}: ${text(value)}`]));
  return known.length === 0 ? [] : ['', ...known];
}

function byLicense(assets: readonly Credit[]): [string, Credit[]][] {
  const groups = Map.groupBy(assets, ({ license }) => headingOf(license));
  const rank = (heading: string) => (heading === UNKNOWN ? 0 : 1);
  return [...groups].sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

const UNKNOWN = 'No licence stated';

function headingOf(license: CreditedLicense): string {
  if (license.kind === 'unknown') return UNKNOWN;
  return license.kind === 'expression' ? license.expression : license.text;
}

/** A text of an author on one line, in which nothing is markup, but for a web address, which is a link. */
function text(value: string): string {
  const line = value.replace(/\s+/g, ' ').trim();
  if (/^https?:\/\/\S+$/i.test(line) && URL.canParse(line)) return `<${new URL(line).href}>`;
  return line.replace(/[\\`*_{}[\]()<>#+!|~&]/g, '\\$&');
}
