import { expect, test } from 'vitest';
import { isSemantic, type LibraryVectors } from '../../src/libraries/read/library.ts';
import { semanticReason } from '../../src/search/by-vector.ts';

const none: LibraryVectors = { vectors_model: null, vectors_dim: null };
const nameless: LibraryVectors = { vectors_model: null, vectors_dim: 768 };
const clip: LibraryVectors = { vectors_model: 'clip', vectors_dim: 768 };
const siglip: LibraryVectors = { vectors_model: 'siglip', vectors_dim: 768 };
const narrow: LibraryVectors = { vectors_model: 'siglip', vectors_dim: 512 };

test.each([
  ['', 'siglip', [siglip], 'no-query'],
  ['', null, [none], 'no-query'],
  ['arm', null, [siglip], 'encoder-unavailable'],
  ['arm', null, [none], 'encoder-unavailable'],
  ['arm', 'siglip', [none], 'no-sidecar'],
  ['arm', 'siglip', [], 'no-sidecar'],
  ['arm', 'siglip', [none, clip], 'model-mismatch'],
  ['arm', 'siglip', [nameless], 'model-mismatch'],
  ['arm', 'siglip', [narrow], 'model-mismatch'],
  ['arm', 'siglip', [none, clip, siglip], 'on'],
] as const)(
  'a search for %j with the encoder %s over %j has the semantic reason %s',
  (query, active, libraries, reason) => {
    expect(semanticReason(query, active, libraries)).toBe(reason);
  },
);

test('a library is semantic only if its vectors have the model and dimensions of the active encoder', () => {
  expect(isSemantic('siglip', siglip)).toBe(true);
  for (const vectors of [clip, none, nameless, narrow]) expect(isSemantic('siglip', vectors)).toBe(false);
  for (const vectors of [siglip, none, nameless]) expect(isSemantic(null, vectors)).toBe(false);
});
