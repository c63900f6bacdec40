import { randomBytes } from 'node:crypto';
import type { Configuration } from '../../../src/configuration/configuration.ts';
import { type Credentials, type Signable, SignatureV4, UNSIGNED_PAYLOAD } from '../../../src/signature-v4.ts';
import { databases } from '../../databases.ts';
import type { TestServiceOptions } from '../../service.ts';

export interface S3Access extends Credentials {
  endpoint: string;
}

/** The S3 store of this test run; null where there is none. */
export const s3: S3Access | null = process.env.BINDERY_TEST_S3
  ? (JSON.parse(process.env.BINDERY_TEST_S3) as S3Access)
  : null;

/** A new, empty bucket. */
export async function makeBucket(access: S3Access): Promise<TestBucket> {
  const bucket = new TestBucket(access, `test-${randomBytes(6).toString('hex')}`);
  const { status } = await bucket.send({ method: 'PUT', key: '' });
  if (status !== 200) throw new Error(`the bucket could not be made: ${status}`);
  return bucket;
}

/** Settings of a service with a new bucket. */
export async function bucketOf({ endpoint, ...credentials }: S3Access): Promise<Pick<Configuration, 's3'>> {
  const { name } = await makeBucket({ endpoint, ...credentials });
  const location = { bucket: name, prefix: '', endpoint, region: 'us-east-1' };
  return { s3: { ...location, credentials, cacheBytes: 2 ** 26 } };
}

/** Where services keep what they have: SQLite and a folder, and where they are installed, PostgreSQL and a bucket. */
export const places: {
  name: string;
  open(): Promise<Pick<TestServiceOptions, 'database' | 'configuration'>>;
}[] = databases.flatMap(({ name, open }) => {
  if (name === 'SQLite')
    return [{ name: 'SQLite and a folder', open: async () => ({ database: await open() }) }];
  if (s3 === null) return [];
  return [
    {
      name: 'PostgreSQL and a bucket',
      open: async () => ({ database: await open(), configuration: await bucketOf(s3) }),
    },
  ];
});

/** A bucket as somebody sees it who talks to the store directly. */
export class TestBucket {
  readonly name: string;
  readonly access: S3Access;
  readonly signer: SignatureV4;

  constructor(access: S3Access, name: string) {
    this.access = access;
    this.name = name;
    this.signer = new SignatureV4(() => access, 'us-east-1');
  }

  url(key: string): Signable['url'] {
    const { protocol, host } = new URL(this.access.endpoint);
    return { protocol, host, pathname: `/${this.name}${key === '' ? '' : `/${key}`}` };
  }

  async send({ method, key, body }: { method: string; key: string; body?: Uint8Array }): Promise<Response> {
    const { protocol, host, pathname } = this.url(key);
    const headers = this.signer.authorize(
      { method, url: this.url(key), payload: UNSIGNED_PAYLOAD },
      Date.now(),
    );
    return fetch(`${protocol}//${host}${pathname}`, {
      method,
      headers,
      ...(body ? { body: body as Uint8Array<ArrayBuffer> } : {}),
    });
  }
}
