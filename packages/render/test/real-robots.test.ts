import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { CERTIFICATE_FAILURES, CERTIFIED_KINDS } from '../../contract/src/certificate.ts';
import { certifyAsset } from '../src/certify-asset.ts';
import { here, realAssets } from './models/real-assets.ts';

const ROBOTS = (await realAssets()).filter(({ kind }) => CERTIFIED_KINDS.has(kind));

describe.skipIf(!here)('the real robots in ../shared/data, skipped where it is missing', () => {
  test.each(ROBOTS)(
    '$library/$id passes',
    { timeout: 60_000 },
    async ({ folder, library, kind, entry, files }) => {
      const sizes = new Map(files.map(({ path, size }) => [path, size]));
      const read = async (path: string) =>
        new Uint8Array(
          await readFile(new URL(`${library}/${path.split('/').map(encodeURIComponent).join('/')}`, folder)),
        );
      const { certification } = await certifyAsset({
        kind,
        format: undefined,
        entry,
        files: { sizes, read },
      });
      expect(certification.problems.filter(({ code }) => CERTIFICATE_FAILURES.has(code))).toEqual([]);
    },
  );
});
