import { LIMITS, routes } from '@bindery/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBodyReader } from '../../src/adapters/workers/body-reader.ts';
import { ServiceError } from '../../src/errors.ts';
import { type BodyReader, parseBody } from '../../src/http/body.ts';

const { registerLibrary } = routes.libraries;
const { authorizeUploads } = routes.uploads;
const SHA256 = '0'.repeat(64);

const bytesOf = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

let reader: BodyReader;
beforeAll(() => {
  reader = createBodyReader();
});
afterAll(() => reader.close());

describe('a body that a worker reads', () => {
  test('has the same value as when read on the main thread', async () => {
    const artifacts = Array.from({ length: 2_345 }, (_, size) => ({
      path: `ä/${size}`,
      size,
      sha256: SHA256,
    }));
    const body = { expectedRevision: 3, visibility: 'public', artifacts };
    expect(await reader.read(registerLibrary, bytesOf(body))).toEqual(body);
    expect(parseBody(registerLibrary.body, bytesOf(body))).toEqual(body);
  });

  test('can list as many artifacts as a register allows', async () => {
    const artifacts = Array.from({ length: LIMITS.manifest.generated }, (_, size) => ({
      path: `.bindery/thumbnails/asset-${size}.webp`,
      size,
      sha256: SHA256,
    }));
    const read = (await reader.read(registerLibrary, bytesOf({ artifacts }))) as { artifacts: unknown[] };
    expect(read.artifacts).toHaveLength(LIMITS.manifest.generated);
    expect(read.artifacts.at(-1)).toEqual(artifacts.at(-1));
  });

  test.each<[string, unknown]>([
    ['a negative size', { files: [{ relativePath: 'a', size: -1 }] }],
    [
      'a list that is too long',
      { files: Array.from({ length: 1_001 }, () => ({ relativePath: 'a', size: 1 })) },
    ],
    ['an unknown member', { files: [{ relativePath: 'a', size: 1 }], more: true }],
    ['the character NUL', { files: [{ relativePath: 'a\0b', size: 1 }] }],
    ['text that is not JSON', '{"files":'],
    ['a document that is not an object', 'null'],
  ])('is refused with the same error as on the main thread: %s', async (_, body) => {
    const refused = await reader.read(authorizeUploads, bytesOf(body)).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ServiceError);
    const { code, message, details } = refused as ServiceError;
    expect(() => parseBody(authorizeUploads.body, bytesOf(body))).toThrow(
      expect.objectContaining({ code, message, details }),
    );
  });

  test('does not change other data in the same memory', async () => {
    const whole = bytesOf('{"files":[{"relativePath":"a","size":1}]}{"other":1}');
    await reader.read(authorizeUploads, whole.subarray(0, whole.length - 11));
    expect(whole.toString('utf8', whole.length - 11)).toBe('{"other":1}');
  });
});

describe('the number of values in a body', () => {
  const lists = (count: number) => `[${Array.from({ length: count }, () => '[]').join(',')}]`;

  test('is limited, and a body above the limit is refused as too large', () => {
    expect(() => parseBody(registerLibrary.body, bytesOf(lists(300_000)))).toThrow(
      expect.objectContaining({ code: 'payload_too_large' }),
    );
  });

  test('does not count brackets and commas inside strings', () => {
    const path = `${'[{,\\"'.repeat(100_000)}`;
    expect(() => parseBody(registerLibrary.body, bytesOf(`{"more":"${path}"}`))).toThrow(
      expect.objectContaining({ code: 'invalid_parameter' }),
    );
  });
});
