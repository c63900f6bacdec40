import { readFile } from 'node:fs/promises';
import { PutBucketCorsCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3Access, TestBucket } from './bucket.ts';

const GUIDE = new URL('../../../../../docs/self-hosting.md', import.meta.url);
/** The dashboard's origin in the guide. */
export const GUIDES_ORIGIN = 'https://assets.example.org';

/** Gives a bucket the rules of the guide, for a dashboard at `origin`. */
export async function allowBrowsers(access: S3Access, bucket: TestBucket, origin: string): Promise<void> {
  const [, json = '{}'] = /```json\n([\s\S]*?CORSRules[\s\S]*?)```/.exec(await readFile(GUIDE, 'utf8')) ?? [];
  const client = new S3Client({
    endpoint: access.endpoint,
    region: 'us-east-1',
    credentials: access,
    forcePathStyle: true,
  });
  const CORSConfiguration = JSON.parse(json.replaceAll(GUIDES_ORIGIN, origin)) as {
    CORSRules: { AllowedMethods: string[]; AllowedOrigins: string[] }[];
  };
  await client.send(new PutBucketCorsCommand({ Bucket: bucket.name, CORSConfiguration }));
  client.destroy();
}
