import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTerminalUser, type TerminalUser } from './command-line.ts';

/** Somebody at a machine without a service. */
let person: TerminalUser;
beforeEach(async () => {
  person = await createTerminalUser();
});
afterEach(() => person.dispose());

test.each([
  ['users'],
  ['create-token', 'ada'],
  ['create-invitation'],
  ['quota', 'ada'],
  ['rotate-signing-key'],
  ['reindex'],
  ['backup', 'a-backup'],
  ['gc', '--dry-run'],
  ['fsck'],
  ['migrate-storage', '--to', 'elsewhere'],
  ['migrate-database', '--to', 'postgres://127.0.0.1:1/bindery'],
])('admin %s fails if the data folder is misspelt, and creates nothing', async (...words) => {
  const before = await readdir(person.home);
  const folder = join(person.home, 'misspelt');
  expect(await person.run('admin', ...words, '--data-dir', folder)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(`the folder ${folder} holds no service`),
  });
  const created = new Set(await readdir(person.home)).difference(new Set(before));
  expect(created.difference(new Set(['.cache', '.config']))).toEqual(new Set());
});

test.each(['users', 'doctor'])(
  'admin %s does not call a folder empty that it cannot look into',
  async (command) => {
    const folder = join(person.home, 'loop');
    await symlink(folder, folder);
    const { code, stdout, stderr } = await person.run('admin', command, '--data-dir', folder);
    expect(code).toBeGreaterThan(2);
    expect(stdout + stderr).toContain(`The data folder ${folder} cannot be used (ELOOP)`);
    expect(stdout + stderr).not.toContain('holds no service');
  },
);

test('admin migrate-database refuses a malformed URL without repeating its password', async () => {
  const refused = await person.run('admin', 'migrate-database', '--to', 'postgres://ada:hush#1@db/bindery');
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Invalid --to:'),
  });
  expect(refused.stderr).toContain('percent-encoded');
  expect(refused.stderr).not.toContain('hush');
});

test('admin backup and migrate-storage name what was typed if a bucket is malformed', async () => {
  const rule = 'expected a folder, or s3://bucket';
  expect(await person.run('admin', 'backup', 's3://Backups')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(new RegExp(`Invalid place "s3://Backups": ${rule}`)),
  });
  expect(await person.run('admin', 'migrate-storage', '--to', 's3://Backups')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`Invalid --to "s3://Backups": ${rule}`),
  });
});

test('admin create-invitation names a wrong setting', async () => {
  const asked = person.with({ BINDERY_PUBLIC_URL: 'https://example.org/bindery' });
  expect(await asked.run('admin', 'create-invitation')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('BINDERY_PUBLIC_URL: it must be'),
  });
});
