import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { commandEntries } from '../src/commands/index.ts';
import { readCompletions } from '../src/completion/completions.ts';
import { bashScript, completionScript } from '../src/completion/scripts.ts';

const places = await readCompletions(commandEntries);

/** What bash offers at the end of the line. */
function completedByBash(...words: string[]): string[] {
  const ask = `
${bashScript(places)}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _bindery 2>/dev/null; echo "\${COMPREPLY[@]}"`;
  const answer = execFileSync('bash', ['--norc', '-c', ask, 'bash', ...words], { encoding: 'utf8' });
  return answer.trim().split(' ').filter(Boolean);
}

test.each([
  [['bindery', 'tok'], ['token']],
  [
    ['bindery', 'token', ''],
    ['create', 'list', 'revoke'],
  ],
  [['bindery', '--json', '--api-url', 'http://a.example', 'token', 'rev'], ['revoke']],
  [['bindery', 'token', 'create', '--sc'], ['--scope']],
  [
    ['bindery', 'token', 'create', '--scope', ''],
    ['read', 'write'],
  ],
  [
    ['bindery', 'completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [['bindery', 'token', 'list', 'x'], []],
])('bash completes %j with %j', (words, expected) => {
  expect(completedByBash(...words)).toEqual(expected);
});

test('the completion script of every shell contains every command and option', () => {
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    const script = completionScript(shell, places);
    for (const { path, options } of places) {
      for (const word of path) expect(script).toContain(word);
      for (const { text } of options) expect(script).toContain(text.replace(/^--?/, ''));
    }
  }
});

test('no completed word or summary contains characters that a shell would expand', () => {
  for (const { words, options } of places) {
    for (const { text, summary } of [...words, ...options]) {
      expect(text).toMatch(/^[a-z-]+$/);
      expect(summary).not.toMatch(/[$`"\\]/);
    }
  }
});
