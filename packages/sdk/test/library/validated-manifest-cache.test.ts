import { hash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '@bindery/contract';
import { expect, test } from 'vitest';
import { ValidatedManifestCache } from '../../src/library/manifest-cache.ts';
import { temporaryFolder } from '../folder.ts';

const MANIFEST: Manifest = {
  schema: 'bindery.assets/v1',
  assets: [{ id: 'arm', files: [{ path: 'arm.obj', size: 1, sha256: hash('sha256', 'a') }] }],
};
const [ONE, OTHER] = [hash('sha256', 'one'), hash('sha256', 'other')];

test('a validated manifest is returned only for its own digest, and only if its file is intact', () => {
  const home = temporaryFolder();
  const validated = new ValidatedManifestCache(home);
  expect(validated.read(ONE)).toBeNull();
  validated.write(ONE, MANIFEST);
  expect(validated.read(ONE)).toEqual(MANIFEST);
  expect(validated.read(OTHER)).toBeNull();
  const folder = join(home, 'validated-manifests');
  const [name = ''] = readdirSync(folder);
  const text = readFileSync(join(folder, name), 'utf8');
  writeFileSync(join(folder, `${OTHER}.json`), text);
  expect(validated.read(OTHER)).toBeNull();
  writeFileSync(join(folder, name), text.replace('"arm"', '"leg"'));
  expect(validated.read(ONE)).toBeNull();
});
