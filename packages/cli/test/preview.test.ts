import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { AssetPreview } from '@bindery/sdk/libraries';
import { expect, onTestFinished, test } from 'vitest';
import { showPreview } from '../src/commands/library/preview.ts';
import { Output } from '../src/output/output.ts';
import { createTerminalUser } from './command-line.ts';

const ASSET: AssetPreview = {
  id: 'ros-industrial-abb-abb_irb2400_support',
  title: 'IRB 2400',
  description: null,
  kind: 'urdf',
  format: 'urdf',
  entry: 'ros-industrial/abb/abb_irb2400_support/urdf/irb2400.urdf',
  files: 18,
  bytes: 4_300_000,
  license: 'Apache-2.0',
  attribution: null,
  tags: [],
  thumbnail: null,
  from: { title: 'meta-information.json', license: 'bindery.yml' },
};

function shown(assets: readonly AssetPreview[], stderr: PassThrough & { isTTY?: boolean; columns?: number }) {
  const output = new Output(
    { stdout: new PassThrough(), stderr },
    { json: false, quiet: false, color: false },
  );
  showPreview(assets, output);
  return String(stderr.read()).trimEnd().split('\n');
}

test('a preview has the whole names where it is piped', () => {
  const license = 'LicenseRef-Acme-Robotics-Research';
  const [, line] = shown([{ ...ASSET, license }], new PassThrough());
  expect(line).toContain(`${ASSET.id}  urdf  irb2400.urdf`);
  expect(line).toContain(`${license}  IRB 2400*`);
});

test('a preview fits 80 columns and marks values read from files with an asterisk', () => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const lines = shown(
    [ASSET, { ...ASSET, id: 'plain', title: null, license: null, entry: null, from: {} }],
    terminal,
  );
  expect(lines.slice(0, 3)).toEqual([
    'ASSET                 KIND  OPENS         FILES     SIZE  LICENCE     TITLE',
    'ros-industrial-abb-…  urdf  irb2400.urdf     18  4.1 MiB  Apache-2.0  IRB 2400*',
    'plain                 urdf  -                18  4.1 MiB  -           -',
  ]);
  expect(Math.max(...lines.slice(0, 3).map(({ length }) => length))).toBeLessThanOrEqual(80);
  expect(lines.slice(3)).toEqual([expect.stringContaining('1 asset'), '1 asset without a licence.']);
});

test('without a login, push --dry-run previews the assets and says to log in, and a real push fails', async () => {
  const ada = await createTerminalUser();
  onTestFinished(() => ada.dispose());
  const folder = join(ada.home, 'robots');
  await mkdir(join(folder, 'arm'), { recursive: true });
  await writeFile(join(folder, 'arm/arm.urdf'), '<robot name="arm"><link name="base"/></robot>');

  const typed = await ada.run('library', 'push', folder, '--dry-run');
  expect(typed).toMatchObject({ code: 0, stdout: '' });
  expect(typed.stderr).toMatch(/^arm +urdf +arm\.urdf/m);
  expect(typed.stderr).toContain('Run "bindery login" to see what a push would change');

  const json = JSON.parse((await ada.run('library', 'push', folder, '--dry-run', '--json')).stdout);
  expect(json).toMatchObject({ status: 'preview', preview: [{ id: 'arm', kind: 'urdf', files: 1 }] });

  const pushed = await ada.run('library', 'push', folder);
  expect(pushed.code).not.toBe(0);
  expect(pushed.stderr).toContain('bindery login');
});
