import type { Transfer } from '@bindery/contract';
import { describe, expect, test } from 'vitest';
import type { LibraryClient } from '../../src/client/call.ts';
import { ApiError } from '../../src/client/errors.ts';
import { sendUpload } from '../../src/push/send-upload.ts';
import { bytesSource } from '../../src/tree/upload-source.ts';

const SOURCE = bytesSource('arm/arm.stl', Buffer.from('solid arm'));
const ADDRESS = { namespace: 'ada', name: 'robots' };

const transferTo = (url: string): Transfer => ({
  kind: 'single-put',
  put: { url, headers: {} },
});

/** A store that refuses all URLs but one. Returns what was asked of it and of the service. */
async function sent(refusal: { status: number; code: string }, taken: string) {
  const puts: string[] = [];
  let asked = 0;
  const client = {
    put: async ({ url }: { url: string }) => {
      puts.push(url);
      if (url !== taken) throw new ApiError({ ...refusal, message: 'no', requestId: null });
      return {};
    },
  } as unknown as LibraryClient;
  let bytes = 0;
  const error = await sendUpload(
    client,
    ADDRESS,
    { source: SOURCE, transfer: transferTo('/0') },
    {
      onProgress: (step) => {
        bytes += step.bytes ?? 0;
      },
      reauthorize: async () => {
        return transferTo(`/${++asked}`);
      },
    },
  ).then(
    () => null,
    (failure: unknown) => failure,
  );
  return { puts, asked, bytes, error };
}

describe('an upload whose presigned URL the store no longer accepts', () => {
  test.each([
    { name: 'a bucket returns 403', refusal: { status: 403, code: 'http_403' } },
    { name: 'the service returns url_expired', refusal: { status: 403, code: 'url_expired' } },
  ])('is sent again to a new URL if $name', async ({ refusal }) => {
    expect(await sent(refusal, '/1')).toEqual({
      ...{ puts: ['/0', '/1'], asked: 1 },
      ...{ bytes: SOURCE.size, error: null },
    });
  });

  test('is not sent again if a proxy refuses it, which is told with the name of the file', async () => {
    const { puts, error } = await sent({ status: 413, code: 'http_413' }, 'none');
    expect(puts).toEqual(['/0']);
    expect(String(error)).toContain('arm/arm.stl: no');
  });

  test('is given up after the third URL', async () => {
    const { puts, error } = await sent({ status: 403, code: 'http_403' }, 'none');
    expect(puts).toEqual(['/0', '/1', '/2']);
    expect(error).toMatchObject({ status: 403 });
  });
});
