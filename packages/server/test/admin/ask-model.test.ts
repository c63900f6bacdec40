import { expect, test } from 'vitest';
import { askModel } from '../../src/operations/doctor.ts';
import type { EncodedQuery } from '../../src/search/encoder.ts';

const loading: EncodedQuery = { ok: false, failure: 'loading', reason: 'The encoder is being loaded.' };
const ready: EncodedQuery = {
  ok: true,
  model: 'a/b/c',
  vector: new Float32Array(1),
  relatedFrom: 0,
  cached: false,
};
const broken: EncodedQuery = { ok: false, failure: 'failed', reason: 'It cannot be run.' };

/** A model that gives these answers in turn, and the last one ever after. */
const answering = (...answers: [EncodedQuery, ...EncodedQuery[]]) => ({
  encodeQuery: async () => (answers.length > 1 ? answers.shift() : answers[0]) as EncodedQuery,
});

test.each([
  ['that is being loaded is waited for', answering(loading, loading, ready), ready],
  ['that fails after it was loaded is not asked again', answering(loading, broken, ready), broken],
  ['that never loads is given up', answering(loading), loading],
])('a model %s', async (_, model, answer) => {
  expect(await askModel(model, 'a red mug', { pause: 1, limit: 50 })).toBe(answer);
});
