import { writeFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { ApiError, ConflictError, TreeError } from '@bindery/sdk';
import { expect, test } from 'vitest';
import { reportLostArtifacts } from '../src/commands/library/report-lost-artifacts.ts';
import { asCommandError } from '../src/output/command-error.ts';
import { Output } from '../src/output/output.ts';

test.each([
  [new TreeError('there is no folder nowhere'), 'There is no folder nowhere.'],
  [new TreeError('robots/arm.obj is not a folder'), 'robots/arm.obj is not a folder.'],
  [new ConflictError('acme/robots has an asset arm already'), 'acme/robots has an asset arm already.'],
  [new ConflictError('the library has moved:\n  arm'), 'The library has moved:\n  arm'],
])('the SDK error %o is reported as a sentence', (error, message) => {
  expect(asCommandError(error).message).toBe(message);
});

test('disk errors are reported in words, and a path that is too long is named', async () => {
  const longest = `/tmp/${'x'.repeat(300)}`;
  const error = await writeFile(longest, '').catch((thrown: unknown) => thrown);
  expect(asCommandError(error)).toMatchObject({
    exitCode: 2,
    message: `${longest} is too long for a path on this machine.`,
    details: { reason: 'ENAMETOOLONG' },
  });
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  expect(asCommandError(full)).toMatchObject({ exitCode: 3, message: 'The disk is full.' });
});

test('a user without a home folder is told to set HOME', () => {
  const error = Object.assign(new Error('A system error occurred: uv_os_homedir returned ENOENT'), {
    code: 'ERR_SYSTEM_ERROR',
    syscall: 'uv_os_homedir',
  });
  expect(asCommandError(error)).toMatchObject({ exitCode: 2, next: expect.stringContaining('HOME') });
});

test.each([
  ['quota_exceeded', 4],
  ['storage_full', 3],
])('a %s error keeps its own message and does not suggest trying again later', (code, exitCode) => {
  const error = new ApiError({ status: 507, code, message: 'Purge libraries.', requestId: 'r' });
  expect(asCommandError(error)).toMatchObject({ exitCode, message: 'Purge libraries.', next: null });
});

test.each([
  [{ thumbnails: 0, vectors: 0 }, ''],
  [
    { thumbnails: 1, vectors: 2 },
    'The changes dropped the drawn thumbnails of 1 asset and the vectors of 2 assets; --thumbnails --embed creates new ones.\n',
  ],
])('a push reports which thumbnails and vectors it dropped, if any: %o', (lost, told) => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  reportLostArtifacts(lost, new Output({ stdout, stderr }, { json: false, quiet: false, color: false }));
  expect(String(stderr.read() ?? '')).toBe(told);
  expect(stdout.read()).toBeNull();
});
