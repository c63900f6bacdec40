import { randomBytes } from 'node:crypto';
import {
  type Credentials,
  type Signable,
  SignatureV4,
  UNSIGNED_PAYLOAD,
} from '../../../src/adapters/objects/s3/signature-v4.ts';

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
