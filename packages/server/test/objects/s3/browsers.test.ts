import { describe, expect, test } from 'vitest';
import { appPolicy, workerPolicy } from '../../../src/views/dashboard.ts';
import { makeBucket, s3 } from './bucket.ts';
import { allowBrowsers, GUIDES_ORIGIN } from './cors.ts';

const ORIGIN = GUIDES_ORIGIN;

describe('browsers', () => {
  test('are allowed by the dashboard policies to connect only to the service and the bucket', () => {
    const policy = appPolicy({ publicUrl: () => ORIGIN, storageOrigin: 'https://s3.example.org' });
    expect(policy).toContain(`img-src 'self' ${ORIGIN} https://s3.example.org blob: data:`);
    expect(policy).toContain(`connect-src 'self' ${ORIGIN} https://s3.example.org;`);
    expect(workerPolicy({ publicUrl: () => ORIGIN, storageOrigin: null })).toContain(
      `connect-src 'self' ${ORIGIN};`,
    );
  });

  test.skipIf(s3 === null)('pass the CORS preflight of a bucket with the rules from the guide', async () => {
    if (!s3) return;
    const bucket = await makeBucket(s3);
    await allowBrowsers(s3, bucket, ORIGIN);
    const preflight = await fetch(`${s3.endpoint}/${bucket.name}/libraries/x`, {
      method: 'OPTIONS',
      headers: {
        origin: ORIGIN,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'x-amz-content-sha256',
      },
    });
    expect(preflight.status).toBe(200);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('x-amz-content-sha256');
    expect(preflight.headers.get('access-control-expose-headers')).toMatch(/etag/i);
  });
});
