import { readFile } from 'node:fs/promises';
import { PutBucketCorsCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { appPolicy, workerPolicy } from '../../../src/views/dashboard/policies.ts';
import { makeBucket, s3 } from './bucket.ts';

const GUIDE = new URL('../../../../../docs/self-hosting.md', import.meta.url);
const ORIGIN = 'https://assets.example.org';

describe('browsers', () => {
  test('may reach the bucket from the dashboard, and nothing else but the service', () => {
    const policy = appPolicy({ publicUrl: () => ORIGIN, storageOrigin: 'https://s3.example.org' });
    expect(policy).toContain(`img-src 'self' ${ORIGIN} https://s3.example.org blob: data:`);
    expect(policy).toContain(`connect-src 'self' ${ORIGIN} https://s3.example.org;`);
    expect(workerPolicy({ publicUrl: () => ORIGIN, storageOrigin: null })).toContain(
      `connect-src 'self' ${ORIGIN};`,
    );
  });

  test.skipIf(s3 === null)('are answered by a bucket with the rules that the guide gives', async () => {
    if (!s3) return;
    const bucket = await makeBucket(s3);
    const [, json = '{}'] =
      /```json\n([\s\S]*?CORSRules[\s\S]*?)```/.exec(await readFile(GUIDE, 'utf8')) ?? [];
    const client = new S3Client({
      endpoint: s3.endpoint,
      region: 'us-east-1',
      credentials: s3,
      forcePathStyle: true,
    });
    const CORSConfiguration = JSON.parse(json) as {
      CORSRules: { AllowedMethods: string[]; AllowedOrigins: string[] }[];
    };
    await client.send(new PutBucketCorsCommand({ Bucket: bucket.name, CORSConfiguration }));
    client.destroy();
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
