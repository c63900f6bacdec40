import { expect, test } from 'vitest';
import { isSemantic, semanticReason } from '../../src/search/semantic.ts';

test.each([
  ['', 'siglip', ['siglip'], 'no-query'],
  ['', null, [null], 'no-query'],
  ['arm', null, ['siglip'], 'encoder-unavailable'],
  ['arm', null, [null], 'encoder-unavailable'],
  ['arm', 'siglip', [null], 'no-sidecar'],
  ['arm', 'siglip', [], 'no-sidecar'],
  ['arm', 'siglip', [null, 'clip'], 'model-mismatch'],
  ['arm', 'siglip', [null, 'clip', 'siglip'], 'on'],
] as const)('a search for %j with the encoder %s over %j is %s', (query, active, models, reason) => {
  expect(semanticReason(query, active, models)).toBe(reason);
});

test('a library is semantic when its sidecar is of the active model', () => {
  expect(isSemantic('siglip', 'siglip')).toBe(true);
  expect(isSemantic('siglip', 'clip')).toBe(false);
  expect(isSemantic('siglip', null)).toBe(false);
  expect(isSemantic(null, null)).toBe(false);
});
