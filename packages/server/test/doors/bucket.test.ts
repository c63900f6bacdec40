import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exchange } from '../exchange.ts';
import { publish, sha256 } from '../libraries/publish.ts';
import { makeBucket, s3 } from '../objects/s3/bucket.ts';
import { startService, type TestService } from '../service.ts';

const SMALL = Buffer.from('a small file of a library');
/** More than a bundle brings, so it has an address in the bucket. */
const LARGE = Buffer.alloc(400_000, 'scan ');

describe.skipIf(s3 === null)('the doors of libraries in a bucket', () => {
  let service: TestService;

  beforeAll(async () => {
    if (!s3) return;
    const { endpoint = '', ...credentials } = s3;
    const location = { bucket: (await makeBucket(s3)).name, prefix: '', endpoint, region: 'us-east-1' };
    service = await startService({
      configuration: { s3: { ...location, credentials, cacheBytes: 2 ** 26 } },
    });
    const files = { 'scan/small.txt': SMALL, 'scan/large.ply': LARGE };
    const ada = await service.member('ada');
    await publish(ada, 'ada/scans', { assets: [{ id: 'scan', files }], visibility: 'public' });
  });
  afterAll(() => service?.close());

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    exchange(service.url + path, { method, headers });

  test('a small file comes from the service, in ranges too', async () => {
    expect((await get('/raw/ada/scans/scan/small.txt')).bytes).toEqual(SMALL);
    const parts = await get('/raw/ada/scans/scan/small.txt', { range: 'bytes=2-6,-7' });
    expect(parts.status).toBe(206);
    expect(parts.bytes.toString()).toMatch(/\r\n\r\nsmall\r\n--[\s\S]*\r\n\r\nlibrary\r\n--/);
  });

  test('a large file is read at its address in the bucket, with its bytes', async () => {
    for (const path of ['/raw/ada/scans/scan/large.ply', '/hf/ada/scans/resolve/main/scan/large.ply']) {
      const redirect = await get(path);
      expect([redirect.status, redirect.headers.get('cache-control')]).toEqual([302, 'no-store']);
      expect(redirect.headers.get('location')).toMatch(new RegExp(`^${s3?.endpoint}/`));
      const bytes = Buffer.from(await (await fetch(service.url + path)).arrayBuffer());
      expect(bytes.equals(LARGE)).toBe(true);
    }
  });

  test("S3's clients, which follow no redirect, read a large file from the service", async () => {
    const { status, bytes } = await get('/s3/ada.scans/scan/large.ply');
    expect([status, bytes.equals(LARGE)]).toEqual([200, true]);
    const part = await get('/s3/ada.scans/scan/large.ply', { range: 'bytes=399995-' });
    expect([part.status, part.bytes.toString()]).toEqual([206, 'scan ']);
  });

  test('HEAD is answered by the service, with the hash', async () => {
    const { status, headers } = await get('/raw/ada/scans/scan/large.ply', {}, 'HEAD');
    expect([status, headers.get('etag')]).toEqual([200, `"${sha256(LARGE)}"`]);
    expect(headers.get('content-length')).toBe(String(LARGE.length));
  });

  test('an archive has both', async () => {
    const { headers, bytes } = await get('/raw/ada/scans/scan.zip');
    expect(Number(headers.get('content-length'))).toBe(bytes.length);
    const files = unzipSync(bytes);
    expect(Buffer.from(files['scan/large.ply']!).equals(LARGE)).toBe(true);
    expect(Buffer.from(files['scan/small.txt']!)).toEqual(SMALL);
  });
});
