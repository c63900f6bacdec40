import { expect, test } from 'vitest';
import { COMMAND_SYNONYMS, suggestCommands } from '../src/command-suggestions.ts';
import { commandEntries } from '../src/commands/index.ts';
import { readCompletions } from '../src/completion/completions.ts';

test('every command name known from other programs maps to an existing command and is not one itself', async () => {
  const commands = (await readCompletions(commandEntries)).map(({ path }) => path.join(' '));
  expect(commands).toEqual(expect.arrayContaining(Object.values(COMMAND_SYNONYMS)));
  for (const name of Object.keys(COMMAND_SYNONYMS)) expect(commands).not.toContain(name);
});

test('suggestions for a command name start with its meaning in other programs, then follow the help order', async () => {
  const found = await suggestCommands('remove', commandEntries);
  expect(found).toEqual(['bindery library rm', 'bindery member remove', 'bindery webhook remove']);
});
