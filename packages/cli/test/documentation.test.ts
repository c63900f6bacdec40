import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { AnyCommand, Input } from '../src/command.ts';
import { commandEntries } from '../src/commands/index.ts';
import { optionFlags } from '../src/option-flags.ts';

const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');

test('docs/cli.md lists every command with its arguments and options, and no other', async () => {
  const [, listed = ''] = /## Every command\n[\s\S]*?```text\n([\s\S]*?)```/.exec(page) ?? [];
  expect(commandLines(listed)).toEqual(await programLines());
});

/** One line a command: long ones go on in lines that are indented. */
function commandLines(text: string): string[] {
  return text
    .replaceAll(/\n +/g, ' ')
    .split('\n')
    .filter((line) => line !== '');
}

async function programLines(): Promise<string[]> {
  const lines: string[] = [];
  for (const entry of commandEntries) {
    const definition = await entry.load();
    if (!('commands' in definition)) lines.push(lineOf(entry.name, definition));
    else
      for (const command of definition.commands) lines.push(lineOf(`${entry.name} ${command.name}`, command));
  }
  return lines;
}

function lineOf(path: string, { inputs }: AnyCommand): string {
  const all = Object.entries(inputs as Record<string, Input<unknown>>);
  const words = all.filter(([, { kind }]) => isArgument(kind)).map(([, input]) => argumentWord(input));
  const options = all
    .filter(([, { kind }]) => !isArgument(kind))
    .map(([name, input]) => optionWord(name, input));
  return [path, ...words, ...options].join(' ');
}

function isArgument(kind: Input<unknown>['kind']): boolean {
  return kind === 'argument' || kind === 'arguments';
}

function argumentWord({ kind, value, required }: Input<unknown>): string {
  const name = value.slice(1, -1) + (kind === 'arguments' ? '...' : '');
  return required ? `<${name}>` : `[${name}]`;
}

function optionWord(name: string, input: Input<unknown>): string {
  const [first = ''] = optionFlags(name, input);
  const typed = input.value === '' ? first : `${first} ${input.value}`;
  if (input.required) return typed;
  return input.kind === 'options' ? `[${typed}]...` : `[${typed}]`;
}
