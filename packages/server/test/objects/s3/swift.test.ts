import { hash, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { describeObjectStore } from '../object-store-suite.ts';
import { openTestS3Store, type S3TestStore } from './s3-stores.ts';
import { isSwiftInstalled, type Swift, startSwift } from './swift.ts';

interface Wrong {
  name: string;
  body: Uint8Array;
  /** Headers in place of the signed ones. */
  sent?: Record<string, string>;
  /** Milliseconds since it was signed. */
  after?: number;
}

describe.skipIf(!isSwiftInstalled())('Swift', () => {
  let swift: Swift;
  beforeAll(async () => {
    swift = await startSwift();
  });
  afterAll(() => swift?.close());

  describeObjectStore('Swift', () => openTestS3Store(swift));

  describe('a direct upload with signed headers', () => {
    const [right, wrong] = [randomBytes(300_000), randomBytes(300_000)];
    const sha256 = hash('sha256', right);
    const upload = { storeId: 'lab', path: 'scan.ply', uploadId: 'one', size: right.length, sha256 };
    let ago = 0;
    let opened: S3TestStore;
    beforeEach(async () => {
      ago = 0;
      opened = await openTestS3Store(swift, { clock: () => Date.now() - ago });
    });
    afterEach(() => opened.close());

    async function send(body: Uint8Array, sent: Record<string, string> = {}): Promise<number> {
      const { url, headers } = opened.store.presignPut(upload, 900);
      const init = { method: 'PUT', headers: { ...headers, ...sent }, body: new Uint8Array(body) };
      return (await fetch(url, init)).status;
    }

    test('accepts the announced bytes, which are an object at once', async () => {
      expect(opened.store.verification).toBe('header-signed');
      expect(await send(right)).toBe(200);
      expect(await opened.store.size(upload)).toBe(right.length);
      expect(await opened.store.collectDirectUploads([upload])).toEqual([{ sha256, size: right.length }]);
    });

    test.each<Wrong>([
      { name: 'other bytes', body: wrong },
      {
        name: 'other bytes with their own hash',
        body: wrong,
        sent: { 'x-amz-content-sha256': hash('sha256', wrong) },
      },
      {
        name: 'bytes without their hash',
        body: right,
        sent: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
      },
      { name: 'fewer bytes', body: right.subarray(1) },
      { name: 'the announced bytes once the URL has expired', body: right, after: 16 * 60_000 },
    ])('refuses $name and stores nothing', async ({ body, sent, after = 0 }) => {
      ago = after;
      expect(await send(body, sent)).toBeGreaterThanOrEqual(400);
      expect(await opened.store.size(upload)).toBeNull();
      expect(await opened.store.collectDirectUploads([upload])).toEqual([null]);
    });
  });
});
