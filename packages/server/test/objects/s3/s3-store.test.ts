import { expect, test } from 'vitest';
import { describeObjectStore } from '../object-store-suite.ts';
import { s3 } from './bucket.ts';
import { openTestS3Store } from './s3-stores.ts';

const access = s3;
if (access) describeObjectStore('S3', () => openTestS3Store(access));

test.skipIf(s3 === null)('Ceph proves that it verifies signed payloads', async () => {
  if (!s3) return;
  const opened = await openTestS3Store(s3);
  expect(opened.store.verification).toBe('signed-payload');
  await opened.close();
});
