import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { CERTIFICATE_FAILURES, CERTIFIED_KINDS } from '../../contract/src/certificate.ts';
import { certifyAsset } from '../src/certify-asset.ts';

const DATA = new URL('../../../../shared/data/', import.meta.url);
const here = existsSync(DATA);

interface DescribedAsset {
  library: string;
  id: string;
  kind: string;
  entry: string;
  files: { path: string; size: number }[];
}

async function robotsIn(folder: URL): Promise<(DescribedAsset & { folder: URL })[]> {
  const { assets } = JSON.parse(await readFile(new URL('assets.json', folder), 'utf8')) as {
    assets: DescribedAsset[];
  };
  return assets.filter(({ kind }) => CERTIFIED_KINDS.has(kind)).map((asset) => ({ ...asset, folder }));
}

const ROBOTS = here ? [...(await robotsIn(DATA)), ...(await robotsIn(new URL('raw/', DATA)))] : [];

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
