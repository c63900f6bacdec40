import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CurrentCredentials } from '../../../src/adapters/objects/s3/connect.ts';
import { SignatureV4, UNSIGNED_PAYLOAD } from '../../../src/signature-v4.ts';

const FIRST = { accessKeyId: 'first', secretAccessKey: 'a', sessionToken: 'of an hour' };
const SECOND = { accessKeyId: 'second', secretAccessKey: 'b' };
const REQUEST = {
  method: 'GET',
  url: { protocol: 'https:', host: 'bucket.example.org', pathname: '/key' },
  payload: UNSIGNED_PAYLOAD,
};

const log: string[] = [];
const logger = pino({}, { write: (line: string) => log.push(line) });

beforeEach(() => {
  log.length = 0;
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

function presigned(credentials: CurrentCredentials): string {
  return new SignatureV4(() => credentials.get(), 'us-east-1').presign(REQUEST, 0, 60);
}

test('once temporary credentials are renewed, URLs are signed with the new ones, even on the same day', async () => {
  let given = FIRST as typeof SECOND;
  const credentials = await CurrentCredentials.open(async () => given, logger);
  const signer = new SignatureV4(() => credentials.get(), 'us-east-1');
  expect(signer.presign(REQUEST, 0, 60)).toContain('X-Amz-Credential=first');
  given = SECOND;
  await vi.advanceTimersByTimeAsync(60_000);
  const fresh = await CurrentCredentials.open(SECOND, logger);
  expect(signer.presign(REQUEST, 0, 60)).toBe(presigned(fresh));
  credentials.close();
});

test('if a renewal fails, the last credentials stay in use, and the log reports it without their token', async () => {
  let fails = false;
  const credentials = await CurrentCredentials.open(async () => {
    if (fails) throw new Error('the role cannot be assumed');
    return FIRST;
  }, logger);
  fails = true;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(presigned(credentials)).toContain('X-Amz-Credential=first');
  expect(log.join('')).toContain('the role cannot be assumed');
  expect(log.join('')).not.toContain('of an hour');
  credentials.close();
});

test('credentials are not renewed after they are closed', async () => {
  const provider = vi.fn(async () => FIRST);
  const credentials = await CurrentCredentials.open(provider, logger);
  credentials.close();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(provider).toHaveBeenCalledTimes(1);
});
