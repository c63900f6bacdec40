import { expect, test } from 'vitest';
import { z } from 'zod';
import { inputRule } from '../src/index.ts';

test.each([
  ['text', z.string(), 5, 'must be text'],
  ['what is missing', z.string(), undefined, 'must be text'],
  ['a whole number', z.int(), 1.5, 'must be an integer'],
  ['a list', z.array(z.string()), 'a', 'must be a list'],
  ['an object', z.strictObject({}), null, 'must be an object'],
  ['one of some words', z.enum(['private', 'public']), 'open', 'must be "private" or "public"'],
  ['either of two', z.union([z.boolean(), z.literal('rotate')]), 5, 'must be true or false or "rotate"'],
  ['a number within bounds', z.int().min(1).max(50), 51, 'must be at most 50'],
  ['a number above the least', z.int().min(1).max(50), 0, 'must be at least 1'],
  ['text of some length', z.string().max(3), 'abcd', 'must have at most 3 characters'],
  ['some text', z.string().min(1), '', 'must not be empty'],
  ['a list of some length', z.array(z.int()).max(1), [1, 2], 'must have at most 1 entry'],
  ['a list of something', z.array(z.int()).min(1), [], 'must not be empty'],
  ['what has a rule of its own', z.string().regex(/a/, { error: 'contains an a' }), 'b', 'contains an a'],
])('a message about what is not %s says so in our words', (_, schema: z.ZodType, value, rule) => {
  const result = schema.safeParse(value, { error: inputRule });
  expect(result.error?.issues.map(({ message }) => message)).toEqual([rule]);
});
