import { expect, test } from 'vitest';
import { buildUrl } from '../../src/client/server-urls.ts';

test('a list becomes a repeated query parameter, and an empty list or undefined adds none', () => {
  expect(buildUrl('http://x', '/search', {}, { kind: ['mjcf', 'urdf'], tag: undefined, limit: 5 })).toBe(
    'http://x/search?kind=mjcf&kind=urdf&limit=5',
  );
  expect(buildUrl('http://x', '/search', {}, { kind: [] })).toBe('http://x/search');
});
