import { expect, test } from 'vitest';
import { bucketFailure, failureOf, Refusal } from '../../src/adapters/objects/s3/failures.ts';

const answered = (code: string, status: number) => new Refusal(status, code, code);

test.each([
  ['answers that it has none', answered('NotFound', 404), 'there is no such bucket'],
  ['names it as missing', answered('NoSuchBucket', 404), 'there is no such bucket'],
  ['refuses to look, without a body', answered('Unknown', 403), /^the credentials are not accepted/],
  [
    'cannot be reached',
    Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), { code: 'ECONNREFUSED' }),
    'nothing answers there (ECONNREFUSED)',
  ],
  ['fails in another way', answered('SlowDown', 503), 'SlowDown: SlowDown'],
])('a bucket whose store %s is reported in words', (_, error, reason) => {
  expect(bucketFailure(failureOf(error))).toEqual(
    typeof reason === 'string' ? reason : expect.stringMatching(reason),
  );
});
