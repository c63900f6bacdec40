import { expect, test } from 'vitest';
import { howToInstall, optionalPackage } from '../src/commands/optional-package.ts';

test('whoever lacks a part is told to build it, and sent to no registry', () => {
  const installed = howToInstall('/opt/lib/node_modules/@bindery/cli/dist');
  expect(installed).toContain('deploy/install.sh build/packages');
  expect(installed).not.toContain('@bindery/');
  expect(howToInstall('/home/ada/bindery/packages/cli/src/commands')).toBe('Run in the clone: npm ci');
});

test('a missing dependency of an installed package is thrown as is, not reported as a missing package', async () => {
  const error = Object.assign(new Error("Cannot find package 'pg' imported from …"), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
  await expect(
    optionalPackage('@bindery/server', 'Running a service', () => Promise.reject(error)),
  ).rejects.toBe(error);
});
