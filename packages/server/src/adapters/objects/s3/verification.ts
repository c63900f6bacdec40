import { hash, randomBytes } from 'node:crypto';
import type { Keys } from './keys.ts';
import { type S3Location, urlOf } from './location.ts';
import { type SignatureV4, UNSIGNED_PAYLOAD } from './signature-v4.ts';

/**
 * What a store verifies of bytes that are sent to a presigned URL, the strongest first:
 *
 * - `signed-checksum`: `x-amz-checksum-sha256`, which it keeps with the object besides
 * - `signed-payload`: `x-amz-content-sha256`
 * - `read-back`: nothing. Uploads go to a staging key, and the service reads them before anything relies on them.
 */
export type Verification = 'signed-checksum' | 'signed-payload' | 'read-back';

const SECONDS = 300;

export interface Probe {
  location: S3Location;
  keys: Keys;
  signer: SignatureV4;
  clock: () => number;
}

/** The headers that bind a presigned upload to its bytes; they are signed, and whoever uploads sends them. */
export function bindingHeaders(verification: Verification, sha256: string): Record<string, string> {
  switch (verification) {
    case 'signed-checksum':
      return {
        'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64'),
        'x-amz-sdk-checksum-algorithm': 'SHA256',
      };
    case 'signed-payload':
      return { 'x-amz-content-sha256': sha256 };
    case 'read-back':
      return {};
  }
}

/** What the signature says of the body. */
export function signedPayload(headers: Readonly<Record<string, string>>): string {
  return headers['x-amz-content-sha256'] ?? UNSIGNED_PAYLOAD;
}

/**
 * The strongest mode that a store proves by refusing wrong bytes and taking right ones. Returns the keys that it may have
 * stored meanwhile, for the caller to delete.
 */
export async function proveVerification(
  probe: Probe,
): Promise<{ verification: Verification; keys: string[] }> {
  const keys: string[] = [];
  for (const verification of ['signed-checksum', 'signed-payload'] as const) {
    const key = probe.keys.area('probe') + randomBytes(12).toString('hex');
    keys.push(key);
    const right = randomBytes(32);
    const wrong = Buffer.from(right);
    wrong[0] = (wrong[0] ?? 0) ^ 1;
    const refused = (await send(probe, verification, key, right, wrong)) >= 400;
    if (refused && (await send(probe, verification, key, right, right)) < 300) return { verification, keys };
  }
  return { verification: 'read-back', keys };
}

/** Sends bytes to a URL that is bound to others or to the same. Returns the status. */
async function send(
  { location, signer, clock }: Probe,
  verification: Verification,
  key: string,
  announced: Buffer,
  body: Buffer,
): Promise<number> {
  const headers = bindingHeaders(verification, hash('sha256', announced));
  const request = { method: 'PUT', url: urlOf(location, key), headers, payload: signedPayload(headers) };
  const url = signer.presign(request, clock(), SECONDS);
  const answer = await fetch(url, {
    method: 'PUT',
    headers,
    body: new Uint8Array(body),
    signal: AbortSignal.timeout(SECONDS * 100),
  });
  await answer.body?.cancel();
  return answer.status;
}
