import { createHash } from 'node:crypto';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encode, type Signable, SignatureV4, UNSIGNED_PAYLOAD } from '../../../src/signature-v4.ts';

const CREDENTIALS = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const AT = Date.UTC(2013, 4, 24);
const EMPTY = sha256('');
const signer = new SignatureV4(() => CREDENTIALS, 'us-east-1');

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function url(pathname: string): Signable['url'] {
  return { protocol: 'https:', host: 'examplebucket.s3.amazonaws.com', pathname };
}

/** The examples of the Amazon S3 API reference, "Signature Calculations for the Authorization Header". */
const PUBLISHED: { name: string; request: Signable; signature: string }[] = [
  {
    name: 'a read of part of an object',
    request: { method: 'GET', url: url('/test.txt'), headers: { range: 'bytes=0-9' }, payload: EMPTY },
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    name: 'an upload of an object',
    request: {
      method: 'PUT',
      url: url('/test%24file.text'),
      headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      payload: sha256('Welcome to Amazon S3.'),
    },
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    name: 'a read of the lifecycle of a bucket',
    request: { method: 'GET', url: url('/'), query: { lifecycle: '' }, payload: EMPTY },
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    name: 'a listing of objects',
    request: { method: 'GET', url: url('/'), query: { 'max-keys': '2', prefix: 'J' }, payload: EMPTY },
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
];

describe('Signature Version 4', () => {
  test.each(PUBLISHED)('signs $name as in the AWS examples', ({ request, signature }) => {
    expect(signer.authorize(request, AT).authorization).toMatch(new RegExp(`Signature=${signature}$`));
  });

  test('presigns as in the AWS example', () => {
    const request: Signable = { method: 'GET', url: url('/test.txt'), payload: UNSIGNED_PAYLOAD };
    expect(signer.presign(request, AT, 86_400)).toBe(
      'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
        '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
        '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
        '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    );
  });

  test('signs any key, query and headers as the AWS SDK does', async () => {
    const text = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 30 })
      .filter((one) => one.isWellFormed());
    const session = fc.option(fc.base64String({ minLength: 4, maxLength: 40 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(text, text, session, async (name, disposition, sessionToken) => {
        const credentials = { ...CREDENTIALS, ...(sessionToken === undefined ? {} : { sessionToken }) };
        const sent = await sentBySdk(credentials, `lab/${name}`, disposition);
        const { query } = sent;
        const pathname = `/examplebucket/${`lab/${name}`.split('/').map(encode).join('/')}`;
        expect(sent.path).toBe(pathname);
        const headers = Object.fromEntries(
          Object.entries(sent.headers).filter(([one]) => sent.signed.includes(one) && one !== 'host'),
        );
        const own = new SignatureV4(() => credentials, 'us-east-1').authorize(
          {
            method: 'GET',
            url: { protocol: 'http:', host: sent.headers.host ?? '', pathname },
            query,
            headers,
            payload: headers['x-amz-content-sha256'] ?? '',
          },
          sent.at,
        );
        expect(own.authorization?.split('Signature=')[1]).toBe(
          sent.headers.authorization?.split('Signature=')[1],
        );
      }),
      { numRuns: 60 },
    );
  });
});

interface Sent {
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  signed: string[];
  at: number;
}

/** What the SDK would send, without sending it. */
async function sentBySdk(credentials: typeof CREDENTIALS, key: string, disposition: string): Promise<Sent> {
  const client = new S3Client({
    credentials,
    region: 'us-east-1',
    endpoint: 'http://127.0.0.1:9',
    forcePathStyle: true,
  });
  let sent: Sent | undefined;
  client.middlewareStack.add(
    () => async (args) => {
      const { path, query, headers } = args.request as Sent;
      const signed = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1]?.split(';') ?? [];
      const [date = ''] = [headers['x-amz-date']];
      const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
      sent = { path, query, headers, signed, at };
      throw new Error('not sent');
    },
    { step: 'finalizeRequest', priority: 'low' },
  );
  const command = new GetObjectCommand({
    Bucket: 'examplebucket',
    Key: key,
    ResponseContentDisposition: disposition,
  });
  await client.send(command).catch(() => {});
  client.destroy();
  if (!sent) throw new Error('the SDK sent nothing');
  return sent;
}
