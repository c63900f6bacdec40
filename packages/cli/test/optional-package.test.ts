import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { installCommand, optionalPackage } from '../src/commands/optional-package.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bindery-optional-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const commandFrom = (...inside: string[]) =>
  installCommand(
    '@bindery/server',
    '1.2.3',
    join(folder, ...inside, 'node_modules/@bindery/cli/dist/commands'),
  );

test('the install command is global for a global installation and local for a project', async () => {
  expect(commandFrom('lib')).toBe('npm install --global @bindery/server@1.2.3');
  await mkdir(join(folder, 'project'));
  await writeFile(join(folder, 'project', 'package.json'), '{}');
  expect(commandFrom('project')).toBe('npm install @bindery/server@1.2.3');
});

test('under npx, the suggested command adds the missing package with --package', () => {
  expect(commandFrom('_npx', '0123')).toBe(
    'npx --package @bindery/cli@1.2.3 --package @bindery/server@1.2.3 -- bindery …',
  );
});

test('a missing dependency of an installed package is thrown as is, not reported as a missing package', async () => {
  const error = Object.assign(new Error("Cannot find package 'pg' imported from …"), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
  await expect(
    optionalPackage('@bindery/server', 'Running a service', () => Promise.reject(error)),
  ).rejects.toBe(error);
});
