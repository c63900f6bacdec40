import { hash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeBucket, s3, type TestBucket } from './bucket.ts';

const BYTES = Buffer.from('a robot arm');
const HEADERS = { 'x-amz-content-sha256': hash('sha256', BYTES), 'content-length': String(BYTES.length) };

describe.skipIf(s3 === null)('a presigned upload with signed hash and length', () => {
  let bucket: TestBucket;
  beforeAll(async () => {
    if (s3) bucket = await makeBucket(s3);
  });

  async function upload(key: string, body: Buffer, sent: Record<string, string>): Promise<number> {
    const request = {
      method: 'PUT',
      url: bucket.url(key),
      headers: HEADERS,
      payload: HEADERS['x-amz-content-sha256'],
    };
    const url = bucket.signer.presign(request, Date.now(), 60);
    return (await fetch(url, { method: 'PUT', headers: sent, body: new Uint8Array(body) })).status;
  }

  const hashHeader = { 'x-amz-content-sha256': HEADERS['x-amz-content-sha256'] };

  test('accepts the signed bytes', async () => {
    expect(await upload('right', BYTES, hashHeader)).toBe(200);
    const stored = await bucket.send({ method: 'GET', key: 'right' });
    expect(Buffer.from(await stored.arrayBuffer())).toEqual(BYTES);
  });

  test.each([
    { name: 'other bytes', body: Buffer.from('a robot leg'), sent: hashHeader },
    { name: 'more bytes', body: Buffer.from('a robot arm and leg'), sent: hashHeader },
    {
      name: 'other bytes with their own hash',
      body: Buffer.from('a robot leg'),
      sent: { 'x-amz-content-sha256': hash('sha256', 'a robot leg') },
    },
    { name: 'bytes without a hash', body: BYTES, sent: {} },
  ])('refuses $name and stores nothing', async ({ name, body, sent }) => {
    const key = name.replaceAll(' ', '-');
    expect(await upload(key, body, sent)).toBeGreaterThanOrEqual(400);
    expect((await bucket.send({ method: 'HEAD', key })).status).toBe(404);
  });
});
