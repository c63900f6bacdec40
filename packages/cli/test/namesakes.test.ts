import { expect, test } from 'vitest';
import { entries } from '../src/commands/index.ts';
import { readVocabulary } from '../src/completion/vocabulary.ts';
import { CALLED_ELSEWHERE, namesakesOf } from '../src/namesakes.ts';

test('every command name known from other programs maps to an existing command and is not one itself', async () => {
  const commands = (await readVocabulary(entries)).map(({ path }) => path.join(' '));
  expect(commands).toEqual(expect.arrayContaining(Object.values(CALLED_ELSEWHERE)));
  for (const name of Object.keys(CALLED_ELSEWHERE)) expect(commands).not.toContain(name);
});

test('suggestions for a command name start with its meaning in other programs, then follow the help order', async () => {
  const found = await namesakesOf('remove', entries);
  expect(found).toEqual(['bindery library rm', 'bindery member remove', 'bindery webhook remove']);
});
