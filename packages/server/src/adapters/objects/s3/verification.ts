import { hash, randomBytes } from 'node:crypto';
import type { PresignedRequest, Verification } from '../../../objects/store.ts';
import { type Signable, type SignatureV4, UNSIGNED_PAYLOAD } from '../../../signature-v4.ts';
import { backOff } from './failures.ts';
import type { Keys } from './keys.ts';
import { type S3Location, urlOf } from './s3-client.ts';

const SECONDS = 300;
const ATTEMPTS = 3;
/** Answers of a store that failed: they say nothing about what it verifies. */
const FAILURES = [429, 500, 502, 503, 504];

export interface Probe {
  location: S3Location;
  keys: Keys;
  signer: SignatureV4;
  clock: () => number;
}

/** Bytes to be uploaded; `sha256` is null if it was not announced. */
export interface SignedUpload {
  url: Signable['url'];
  query?: Readonly<Record<string, string>>;
  size: number;
  sha256: string | null;
}

/**
 * Returns a request that stores these bytes, valid from `at` (milliseconds since 1970) on; it has to be sent with its
 * headers. The length is signed, so that nobody can send more than was announced; HTTP clients add that header
 * themselves.
 */
export function signUpload(
  signer: SignatureV4,
  verification: Verification,
  { url, query = {}, size, sha256 }: SignedUpload,
  at: number,
  seconds: number,
): PresignedRequest {
  const headers = sha256 === null ? {} : bindingHeaders(verification, sha256);
  const payload = headers['x-amz-content-sha256'] ?? UNSIGNED_PAYLOAD;
  const length = { 'content-length': String(size) };
  const request = { method: 'PUT', url, query, headers: { ...headers, ...length }, payload };
  if (verification !== 'header-signed' || sha256 === null) {
    return { url: signer.presign(request, at, seconds), headers };
  }
  const { 'content-length': _, ...signed } = signer.authorize(request, at);
  return { url: `${url.protocol}//${url.host}${url.pathname}`, headers: signed };
}

/** The headers that bind an upload to its bytes. */
function bindingHeaders(verification: Verification, sha256: string): Record<string, string> {
  switch (verification) {
    case 'signed-checksum':
      return {
        'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64'),
        'x-amz-sdk-checksum-algorithm': 'SHA256',
      };
    case 'signed-payload':
    case 'header-signed':
      return { 'x-amz-content-sha256': sha256 };
    case 'read-back':
      return {};
  }
}

/**
 * Returns the strongest mode that a store proves by rejecting wrong bytes and accepting right ones, and the keys that
 * it might have stored meanwhile, for the caller to delete. A mode with which it keeps failing is not proved.
 */
export async function detectVerification(
  probe: Probe,
): Promise<{ verification: Verification; keys: string[] }> {
  const keys: string[] = [];
  for (const verification of ['signed-checksum', 'signed-payload', 'header-signed'] as const) {
    const key = probe.keys.area('probe') + randomBytes(12).toString('hex');
    keys.push(key);
    const right = randomBytes(32);
    const wrong = Buffer.from(right);
    wrong[0] = (wrong[0] ?? 0) ^ 1;
    const wrongStatus = await send(probe, verification, key, right, wrong);
    if (wrongStatus === null || wrongStatus < 400) continue;
    const rightStatus = await send(probe, verification, key, right, right);
    if (rightStatus !== null && rightStatus < 300) return { verification, keys };
  }
  return { verification: 'read-back', keys };
}

/** Sends `body` with a request that is bound to `announced`. Returns the status; null if the store keeps failing. */
async function send(
  { location, signer, clock }: Probe,
  verification: Verification,
  key: string,
  announced: Buffer,
  body: Buffer,
): Promise<number | null> {
  const upload = { url: urlOf(location, key), size: body.length, sha256: hash('sha256', announced) };
  const { url, headers } = signUpload(signer, verification, upload, clock(), SECONDS);
  const request = { method: 'PUT', headers, body: new Uint8Array(body) };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    if (attempt > 1) await backOff(attempt - 1);
    const answer = await fetch(url, { ...request, signal: AbortSignal.timeout(SECONDS * 100) }).catch(
      () => null,
    );
    await answer?.body?.cancel();
    if (answer && !FAILURES.includes(answer.status)) return answer.status;
  }
  return null;
}
