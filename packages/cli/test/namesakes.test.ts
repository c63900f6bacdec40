import { expect, test } from 'vitest';
import { entries } from '../src/commands/index.ts';
import { readVocabulary } from '../src/completion/vocabulary.ts';
import { CALLED_ELSEWHERE, namesakesOf } from '../src/namesakes.ts';

test('what other programs call a command stands for one that there is, and is itself none', async () => {
  const commands = (await readVocabulary(entries)).map(({ path }) => path.join(' '));
  expect(commands).toEqual(expect.arrayContaining(Object.values(CALLED_ELSEWHERE)));
  for (const name of Object.keys(CALLED_ELSEWHERE)) expect(commands).not.toContain(name);
});

test('commands of one name come in the order of the help, those that other programs mean first', async () => {
  const found = await namesakesOf('remove', entries);
  expect(found).toEqual(['bindery library rm', 'bindery member remove', 'bindery webhook remove']);
});
