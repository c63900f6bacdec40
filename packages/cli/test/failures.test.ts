import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { ApiError, BinderyError } from '@bindery/sdk';
import { expect, test } from 'vitest';
import { ConflictError, DiskFullError, IntegrityError, TreeError } from '../../sdk/src/failures.ts';
import { reportLostArtifacts } from '../src/commands/library/report-lost-artifacts.ts';
import { asCommandError } from '../src/output/command-error.ts';
import { Output } from '../src/output/output.ts';
import { BINDERY, waitForExit } from './command-line.ts';

test.each([
  [new TreeError('There is no folder nowhere.'), { exitCode: 2, code: 'usage', next: null }],
  [
    new ConflictError('acme/robots already has an asset arm.', ['arm'], { code: 'asset_exists' }),
    { exitCode: 6, code: 'conflict', next: 'Replace it with --replace.', details: { items: ['arm'] } },
  ],
  [
    new IntegrityError('The service has lost arm/mesh.obj.', { code: 'content_lost' }),
    { exitCode: 7, code: 'integrity', next: 'A push with --verify from a folder that has it restores it.' },
  ],
  [
    new ConflictError('Revision 1 of ann/kitchen no longer exists.', [], {
      code: 'revision_gone',
      details: { library: 'ann/kitchen', release: null, revision: 1 },
    }),
    {
      exitCode: 6,
      next:
        '"bindery sync --upgrade ann/kitchen" switches to what is available now. A release keeps a revision: ' +
        '"bindery library release ann/kitchen <name>", and then use ann/kitchen@<name>.',
    },
  ],
  [
    new TreeError('There is no assets.lock.', { code: 'no_lock' }),
    { exitCode: 2, next: '"bindery sync" writes it.' },
  ],
  [new BinderyError('unheard_of', 'Something new.'), { exitCode: 1, code: 'unheard_of', next: null }],
])('the SDK error %o is reported with its own sentence, and what to do about it', (error, reported) => {
  expect(asCommandError(error)).toMatchObject({ ...reported, message: error.message });
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
  expect(asCommandError(full)).toMatchObject({ exitCode: 1, message: 'The disk is full.' });
  const located = Object.assign(full, { path: '/home/ada/robots/arm/arm.obj' });
  expect(asCommandError(located, '/home/ada').message).toBe('The disk of robots/arm is full.');
  const small = new DiskFullError('/home/ada/robots', { needed: 3 * 2 ** 20, free: 2 ** 20 });
  expect(asCommandError(small, '/home/ada')).toMatchObject({
    exitCode: 1,
    code: 'disk_full',
    message: 'Not enough space on the disk of robots: 3.0 MiB needed, 1.0 MiB free. Nothing was written.',
  });
});

test('a defect exits with 1, and not as if the network had failed', () => {
  const error = asCommandError(new RangeError('Invalid array length'));
  expect(error).toMatchObject({ exitCode: 1, code: 'failed', message: 'Invalid array length' });
});

const failure = (code: string, syscall: string, path: string) =>
  Object.assign(new Error(`${code}: raw text, ${syscall} '${path}'`), { code, syscall, path });

test.each([
  ['EACCES', 'scandir', '/home/ada/robots/', 'You have no permission to read robots.'],
  ['EACCES', 'mkdir', '/home/ada/robots/arm', 'You have no permission to create robots/arm.'],
  ['EPERM', 'rename', '/home/ada/robots/arm', 'You have no permission to write to robots/arm.'],
  ['EACCES', 'open', '/home/ada/assets.yml', 'You have no permission to open assets.yml.'],
  [
    'EACCES',
    'open',
    '/home/ada/robots/assets.yml.7.0123456789ab.tmp',
    'You have no permission to write to robots.',
  ],
  [
    'EACCES',
    'open',
    '/home/ada/assets.yml.0123456789ab.tmp',
    'You have no permission to write to this folder.',
  ],
  ['EACCES', 'scandir', '/elsewhere/robots', 'You have no permission to read /elsewhere/robots.'],
  ['EACCES', 'scandir', '/home/adam', 'You have no permission to read /home/adam.'],
  ['EISDIR', 'read', '/home/ada/bindery.yml', 'bindery.yml is a folder where a file belongs.'],
  ['EROFS', 'mkdir', '/home/ada/robots', 'robots is on a read-only file system.'],
  ['ENOENT', 'open', '/home/ada/robots/arm.obj', 'robots/arm.obj is missing, or was removed.'],
])('the %s of %s at %s is reported as a person would', (code, syscall, path, message) => {
  expect(asCommandError(failure(code, syscall, path), '/home/ada')).toMatchObject({ exitCode: 2, message });
});

test('a file in the place of a folder is named, not what was looked for in it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-failures-'));
  await writeFile(join(folder, 'notes'), '');
  const error = await readFile(join(folder, 'notes/bindery/config.json')).catch((thrown: unknown) => thrown);
  expect(asCommandError(error, folder).message).toBe('notes is a file where a folder belongs.');
  await rm(folder, { recursive: true });
});

test.skipIf(!existsSync('/dev/full'))(
  'output that a full disk does not take is an error in words',
  async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [BINDERY, 'agents'], { stdio: ['ignore', full, 'pipe'] });
    closeSync(full);
    expect(await waitForExit(child)).toMatchObject({
      code: 1,
      stderr: 'Error: The output cannot be written. The disk is full.\n',
    });
  },
);

test('a deleted current folder is reported in words', () => {
  const error = Object.assign(new Error('ENOENT: process.cwd failed'), { code: 'ENOENT', syscall: 'uv_cwd' });
  expect(asCommandError(error)).toMatchObject({
    exitCode: 2,
    message: 'The current folder no longer exists.',
  });
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
