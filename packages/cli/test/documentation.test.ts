import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandReference } from '../../../scripts/command-reference.ts';

test('docs/command-reference.md describes every command as its help does (npm run reference updates it)', async () => {
  const committed = new URL('../../../docs/command-reference.md', import.meta.url);
  expect(readFileSync(committed, 'utf8')).toBe(await commandReference());
});
