import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { Bucket } from '../../../src/adapters/objects/s3/bucket.ts';
import { sha256 } from '../../libraries/publisher.ts';
import { describeObjectStore } from '../object-store-suite.ts';
import { makeBucket, s3 } from './bucket.ts';
import { openTestS3Store } from './s3-stores.ts';

const access = s3;
if (access) describeObjectStore('S3', () => openTestS3Store(access));

test.skipIf(s3 === null)('Ceph is found to verify signed payloads', async () => {
  if (!s3) return;
  const opened = await openTestS3Store(s3);
  expect(opened.store.verification).toBe('signed-payload');
  await opened.close();
});

test.skipIf(s3 === null)('an object too large for one request reads back and leaves no parts', async () => {
  if (!s3) return;
  const { name, signer } = await makeBucket(s3);
  const location = { bucket: name, prefix: '', endpoint: s3.endpoint, region: 'us-east-1' };
  const bucket = new Bucket(location, signer, { atOnce: 150_000, part: 70_000 });
  const bytes = randomBytes(200_000);
  const open = ({ start, end } = { start: 0, end: bytes.length - 1 }) =>
    Readable.from([bytes.subarray(start, end + 1)]);
  await bucket.put('large', bytes.length, sha256(bytes), open);
  expect(Buffer.concat(await Array.fromAsync(bucket.read('large'))).equals(bytes)).toBe(true);
  expect(await Array.fromAsync(bucket.uploads(''))).toEqual([]);
  bucket.close();
});
