import { hash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { forEachBounded } from '@bindery/concurrency/for-each';
import { check } from 'recheck';
import { parseAst } from 'rolldown/parseAst';
import { Visitor } from 'rolldown/utils';

/**
 * Regular expressions that take more than linear time, and why that is no way to hold a program up: what they read is
 * short, or is our own. Whatever reads files or answers of others has no place here.
 */
const ACCEPTED: Readonly<Record<string, string>> = {
  '\\s*(?:,|\\/|\\bor\\b|\\band\\b)\\s*(?:or )?': 'a query, which has a limit',
  '(?<!\\p{L})(?:made |created |modelled )?by ([\\p{L}@][^,;]{1,60}?)(?=\\s*$|[,;])':
    'a query, which has a limit',
  '(?<=[aeiouy].*)y$': 'one word',
  '^[\\s.\\-–]+|[\\s.\\-–]+$': 'an attribution, which has a limit',
  '\\(c\\)|©|\\bcopyright\\b|\\ball rights reserved\\b|\\b(?:19|20)\\d\\d\\b|<[^>]*>|\\S+@\\S+\\.\\S+|https?:\\S+|\\bpublic(?= *:)|\\bby\\b|[()[\\]"]':
    'an attribution, which has a limit',
  '^-+|-+$': 'a display name, which has a limit',
  '-+$': 'a display name, which has a limit',
  '\\B(?=(?:\\d{3})+$)': 'the digits of a number',
  '^\\s*(identity)?\\s*$': 'a header, which has a limit',
  '\\/+$': 'a URL of the configuration',
  '\\/\\/.*@': 'a URL of the configuration',
  '=+$': 'the settings of a view, which were encoded here',
  '^[\\s,]+|[\\s,]+$': 'a query, which has a limit',
  ' \\(received .*\\)\\.$': 'a message of the service',
  '[*_`#[<>|~\\\\!]|^\\s*(?:[-+]|\\d+[.)])\\s': 'a description, which has a limit',
  '^[^a-z0-9]+|-+$': 'a name that somebody types',
  '^\\/|\\/+$': 'a path, which has a limit',
};
/** Only where something can be repeated without end is there anything to look for. */
const REPEATS = /[*+]|\{\d+,\}/;
const MAX_MILLISECONDS = 5_000;
/** Hashes of expressions that were found to take linear time, which is not found out again: it takes minutes. */
const LINEAR = new URL('linear-expressions.txt', import.meta.url);
/** How often an attack is repeated, and how long that may take: an expression that is linear needs a few. */
const [REPEATED, MAX_ATTACK_MILLISECONDS] = [30_000, 100];

interface Expression {
  readonly source: string;
  readonly flags: string;
  readonly places: string[];
}

/** The expressions of all packages, literals and those made of one text, with where they are written. */
function expressions(): Expression[] {
  const found = new Map<string, Expression>();
  for (const file of globSync('packages/*/src/**/*.{ts,tsx}').sort()) {
    const text = readFileSync(file, 'utf8');
    const add = (source: string, flags: string, at: number) => {
      const place = `${file}:${text.slice(0, at).split('\n').length}`;
      const known = found.get(`/${source}/${flags}`);
      if (known === undefined) found.set(`/${source}/${flags}`, { source, flags, places: [place] });
      else known.places.push(place);
    };
    new Visitor({
      Literal: (node) => {
        if ('regex' in node) add(node.regex.pattern, node.regex.flags, node.start);
      },
      NewExpression: ({ callee, arguments: [source, flags], start }) => {
        if (callee.type !== 'Identifier' || callee.name !== 'RegExp' || source?.type !== 'Literal') return;
        if (typeof source.value === 'string')
          add(source.value, flags?.type === 'Literal' ? String(flags.value) : '', start);
      },
    }).visit(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file));
  }
  return [...found.values()].filter(({ source }) => REPEATS.test(source));
}

/** Returns how long an expression takes at worst, in words; undefined if that is linear, or could not be found out in time. */
async function slowness({ source, flags }: Expression): Promise<string | undefined> {
  const found = await check(source, flags, { timeout: MAX_MILLISECONDS });
  if (found.status !== 'vulnerable') return undefined;
  const { complexity, attack, checker } = found;
  // What was found by trying counts what a simpler engine does; this one is asked, too.
  if (checker === 'fuzz' && complexity.type === 'polynomial' && complexity.degree === 2) {
    const { pumps, suffix } = attack;
    const text = pumps.map(({ prefix, pump }) => prefix + pump.repeat(REPEATED)).join('') + suffix;
    const started = performance.now();
    new RegExp(source, flags).test(text);
    if (performance.now() - started < MAX_ATTACK_MILLISECONDS) return undefined;
  }
  return complexity.summary;
}

const hashOf = ({ source, flags }: Expression) => hash('sha256', `/${source}/${flags}`).slice(0, 12);
const known = new Set(readFileSync(LINEAR, 'utf8').trim().split('\n'));
const all = expressions();
const left = all.filter((one) => !known.has(hashOf(one)) && !Object.hasOwn(ACCEPTED, one.source));
const slow: Expression[] = [];
await forEachBounded(left, { concurrency: availableParallelism() }, async (one) => {
  const words = await slowness(one);
  if (words === undefined) return;
  slow.push(one);
  console.error(`${one.places.join(', ')}: takes ${words} time: /${one.source}/${one.flags}`);
});
if (process.argv.includes('--write')) {
  const linear = all.filter((one) => !slow.includes(one) && !Object.hasOwn(ACCEPTED, one.source));
  writeFileSync(LINEAR, `${linear.map(hashOf).sort().join('\n')}\n`);
}
const sources = new Set(all.map(({ source }) => source));
const unneeded = Object.keys(ACCEPTED).filter((source) => !sources.has(source));
for (const source of unneeded) console.error(`is accepted and written nowhere: /${source}/`);
// The checker keeps a process that nothing else would end.
process.exit(slow.length + unneeded.length > 0 ? 1 : 0);
