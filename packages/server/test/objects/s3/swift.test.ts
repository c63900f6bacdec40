import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeObjectStore } from '../object-store-suite.ts';
import { openTestS3Store } from './s3-stores.ts';
import { isSwiftInstalled, type Swift, startSwift } from './swift.ts';

describe.skipIf(!isSwiftInstalled())('Swift', () => {
  let swift: Swift;
  beforeAll(async () => {
    swift = await startSwift();
  });
  afterAll(() => swift?.close());

  describeObjectStore('Swift', () => openTestS3Store(swift));

  test('proves nothing of presigned uploads, so that they are read back', async () => {
    const opened = await openTestS3Store(swift);
    expect(opened.store.verification).toBe('read-back');
    await opened.close();
  });
});
