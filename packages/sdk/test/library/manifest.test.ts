import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { IntegrityError } from '../../src/index.ts';
import { readManifest } from '../../src/library/read-manifest.ts';

const asset = JSON.stringify({
  id: 'arm',
  files: [{ path: 'arm/a.bin', size: 1, sha256: hash('sha256', 'a') }],
});
const manifest = (more = '') => Buffer.from(`{"schema":"bindery.assets/v1","assets":[${asset}]${more}}`);

test('a manifest is read as the service sent it', () => {
  expect(readManifest(manifest()).assets[0]?.id).toBe('arm');
});

describe('a manifest that parsers could read differently', () => {
  test.each([
    ['a duplicate key', manifest(',"assets":[]'), /assets/],
    ['a duplicate key in an asset', Buffer.from(String(manifest()).replace('"id"', '"id":"leg","id"')), /id/],
    [
      'invalid UTF-8',
      Buffer.concat([manifest().subarray(0, -1), Buffer.from(',"\xff":1}', 'latin1')]),
      /UTF-8/,
    ],
    ['a byte order mark', Buffer.concat([Buffer.from('\ufeff'), manifest()]), /byte order mark/],
    ['text that is not JSON', Buffer.from('<html>'), /not valid JSON/],
  ])('is refused: %s', (_, bytes, reason) => {
    expect(() => readManifest(bytes)).toThrow(IntegrityError);
    expect(() => readManifest(bytes)).toThrow(reason);
  });
});
