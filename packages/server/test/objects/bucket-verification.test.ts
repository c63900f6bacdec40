import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { Keys } from '../../src/adapters/objects/s3/keys.ts';
import { detectVerification } from '../../src/adapters/objects/s3/verification.ts';
import { SignatureV4 } from '../../src/signature-v4.ts';
import { sha256 } from '../libraries/publisher.ts';

/** Returns what a store proves whose answer to each upload is this status. */
async function provedBy(answer: (request: IncomingMessage, body: Buffer) => number): Promise<string> {
  const server = createServer(async (request, response) => {
    response.writeHead(answer(request, await buffer(request))).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const credentials = { accessKeyId: 'ada', secretAccessKey: 'secret' };
    const { verification } = await detectVerification({
      location: { bucket: 'assets', prefix: '', endpoint, region: 'us-east-1' },
      keys: new Keys(''),
      signer: new SignatureV4(() => credentials, 'us-east-1'),
      clock: Date.now,
    });
    return verification;
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Verifies the checksum that comes with an upload. */
function verifying({ headers }: IncomingMessage, body: Buffer): number {
  const announced = headers['x-amz-checksum-sha256'];
  return announced === undefined || announced === Buffer.from(sha256(body), 'hex').toString('base64')
    ? 200
    : 400;
}

test.each([1, 2])(
  'a store that verifies checksums and fails at upload %i is trusted with them',
  async (failing) => {
    let uploads = 0;
    const proved = await provedBy((request, body) =>
      ++uploads === failing ? 500 : verifying(request, body),
    );
    expect(proved).toBe('signed-checksum');
  },
);

test('a store that ignores checksums and fails at wrong bytes is read back', async () => {
  let uploads = 0;
  expect(await provedBy(() => (++uploads === 1 ? 500 : 200))).toBe('read-back');
});

test.each([400, 500, 501])('a store that refuses checksums with %i is read back', async (status) => {
  const proved = await provedBy(({ headers }) =>
    'x-amz-checksum-sha256' in headers || 'x-amz-content-sha256' in headers ? status : 200,
  );
  expect(proved).toBe('read-back');
});
