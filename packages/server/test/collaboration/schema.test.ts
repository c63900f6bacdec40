import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { printedSchema } from '../../src/views/graphql/schema.ts';

test('the committed GraphQL schema matches the served one (npm run schema updates it)', () => {
  const committed = new URL('../../../contract/src/graphql/schema.graphql', import.meta.url);
  expect(readFileSync(committed, 'utf8')).toBe(printedSchema());
});
