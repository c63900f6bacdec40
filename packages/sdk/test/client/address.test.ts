import { expect, test } from 'vitest';
import { buildUrl } from '../../src/client/address.ts';

test('a list of values is written as the parameter several times, and nothing for no value', () => {
  expect(buildUrl('http://x', '/search', {}, { kind: ['mjcf', 'urdf'], tag: undefined, limit: 5 })).toBe(
    'http://x/search?kind=mjcf&kind=urdf&limit=5',
  );
  expect(buildUrl('http://x', '/search', {}, { kind: [] })).toBe('http://x/search');
});
