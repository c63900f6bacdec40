import { hash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Actor } from '../../server/test/actor.ts';
import { exchange } from '../../server/test/exchange.ts';
import { logIn } from '../../server/test/login/device-login.ts';
import { startService, type TestService } from '../../server/test/service.ts';
import { createTerminalUser, type TerminalUser } from './command-line.ts';

let service: TestService;
let ann: TerminalUser;
let ben: TerminalUser;
let carol: TerminalUser;
let annAtHttp: Actor;

beforeAll(async () => {
  service = await startService();
  [ann, ben, carol] = await Promise.all([signedIn('ann'), signedIn('ben'), signedIn('carol')]);
  annAtHttp = await service.member('ann');
  await annAtHttp.post('/namespaces', { slug: 'acme' });
  await annAtHttp.put('/namespaces/acme/members/ben', { role: 'reader' });
});
afterAll(async () => {
  await Promise.all([ann, ben, carol].map((person) => person?.dispose()));
  await service.close();
});

async function signedIn(userName: string): Promise<TerminalUser> {
  const person = await createTerminalUser(service.url);
  return person.with({ BINDERY_TOKEN: await logIn(service, userName) });
}

const cube = (name: string) =>
  `solid ${name}\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n`;

async function write(person: TerminalUser, folder: string, files: Record<string, string>): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(person.home, folder, path);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, content);
  }
  return folder;
}

/** Ann publishes three meshes as a library, and Ben pulls them. */
async function published(library: string, others: Record<string, string> = {}): Promise<void> {
  const meshes = { 'arm.stl': cube('arm'), 'base.stl': cube('base'), 'cup.stl': cube('cup'), ...others };
  await write(ann, library, meshes);
  expect(await ann.run('library', 'push', library, `acme/${library}`)).toMatchObject({ code: 0 });
  expect(await ben.run('library', 'pull', `acme/${library}`, '-o', library)).toMatchObject({ code: 0 });
}

const show = async (person: TerminalUser, library: string, number = '1') =>
  JSON.parse((await person.run('proposal', 'show', `acme/${library}`, number, '--json')).stdout);

test('a reader proposes a change, members discuss it, and a member publishes it with one command', async () => {
  await published('robots');
  await write(ben, 'robots', { 'arm.stl': cube('lighter-arm'), 'dish.stl': cube('dish') });
  const refused = await ben.run('library', 'push', 'robots', 'acme/robots');
  expect(refused).toMatchObject({ code: 4 });
  const proposed = await ben.run(
    'library',
    'push',
    'robots',
    'acme/robots',
    '--propose',
    'Lighter arm\nAnd a dish.',
  );
  expect(proposed.stdout).toMatch(/^Proposal 1 of acme\/robots: 1 asset added, 1 changed, 2 files /);
  expect(proposed.stderr).toContain('/acme/robots/-/proposals/1');
  const still = await ann.run('library', 'info', 'acme/robots', '--json');
  expect(JSON.parse(still.stdout)).toMatchObject({ revision: 1 });

  expect((await ann.run('proposal', 'list', 'acme/robots')).stdout).toMatch(/^1 +open +Lighter arm +ben /);
  expect(await ann.run('proposal', 'comment', 'acme/robots', '1', 'Does it fit?')).toMatchObject({ code: 0 });
  expect(await ben.run('proposal', 'comment', 'acme/robots', '1', 'It does.')).toMatchObject({ code: 0 });
  const shown = await ann.run('proposal', 'show', 'acme/robots', '1');
  for (const part of [
    'Lighter arm',
    'And a dish.',
    'changed  arm.stl',
    'added  dish.stl',
    'ben, ',
    'It does.',
  ])
    expect(shown.stdout).toContain(part);

  expect(await ben.run('proposal', 'accept', 'acme/robots', '1')).toMatchObject({ code: 4 });
  const accepted = await ann.run('proposal', 'accept', 'acme/robots', '1');
  expect(accepted).toMatchObject({ code: 0, stdout: 'Proposal 1 is revision 2 of acme/robots.\n' });
  await ann.run('library', 'pull', 'acme/robots', '-o', 'taken');
  expect(await readFile(join(ann.home, 'taken/arm.stl'), 'utf8')).toBe(cube('lighter-arm'));
  expect(await readFile(join(ann.home, 'taken/dish.stl'), 'utf8')).toBe(cube('dish'));
  expect(await show(ben, 'robots')).toMatchObject({ state: 'accepted', decidedBy: 'ann', revision: 2 });
  expect(await ann.run('proposal', 'refuse', 'acme/robots', '1')).toMatchObject({ code: 6 });
  // Ben's folder is what the library is now.
  expect((await ben.run('library', 'stat', 'acme/robots', '-o', 'robots')).code).toBe(0);
});

test('a refused or withdrawn proposal publishes nothing, and says who decided', async () => {
  await published('tools');
  await write(ben, 'tools', { 'arm.stl': cube('other-arm') });
  await ben.run('library', 'push', 'tools', 'acme/tools', '--propose', 'Other arm');
  expect(await ann.run('proposal', 'withdraw', 'acme/tools', '1')).toMatchObject({ code: 4 });
  const refused = await ann.run('proposal', 'refuse', 'acme/tools', '1', '--comment', 'Too heavy');
  expect(refused).toMatchObject({ code: 0, stdout: 'Proposal 1 of acme/tools is refused.\n' });
  expect(await show(ben, 'tools')).toMatchObject({
    state: 'refused',
    decidedBy: 'ann',
    comments: [{ author: 'ann', text: 'Too heavy' }],
  });
  await ben.run('library', 'push', 'tools', 'acme/tools', '--propose', 'Once more');
  expect((await ben.run('proposal', 'withdraw', 'acme/tools', '2')).code).toBe(0);
  expect(await ann.run('proposal', 'accept', 'acme/tools', '2')).toMatchObject({ code: 6 });
  expect(JSON.parse((await ann.run('library', 'info', 'acme/tools', '--json')).stdout)).toMatchObject({
    revision: 1,
  });
  expect((await ann.run('proposal', 'list', 'acme/tools')).stdout).toBe('');
});

test('what others publish meanwhile stays, and what both changed is a conflict that names it', async () => {
  await published('parts');
  await write(ben, 'parts', { 'arm.stl': cube('arm-of-ben') });
  await ben.run('library', 'push', 'parts', 'acme/parts', '--propose', 'Arm');
  await ben.run('library', 'pull', 'acme/parts', '-o', 'again');
  await write(ben, 'again', { 'cup.stl': cube('cup-of-ben') });
  await ben.run('library', 'push', 'again', 'acme/parts', '--propose', 'Cup');
  await write(ann, 'parts', { 'arm.stl': cube('arm-of-ann'), 'base.stl': cube('base-of-ann') });
  expect((await ann.run('library', 'push', 'parts', 'acme/parts')).code).toBe(0);

  const conflict = await ann.run('proposal', 'accept', 'acme/parts', '1');
  expect(conflict).toMatchObject({ code: 6, stderr: expect.stringContaining('changes: arm.stl.') });
  expect(await show(ben, 'parts', '1')).toMatchObject({
    state: 'open',
    conflicts: { names: ['arm.stl'], total: 1 },
  });
  expect((await ann.run('proposal', 'accept', 'acme/parts', '2')).stdout).toBe(
    'Proposal 2 is revision 3 of acme/parts.\n',
  );
  await ann.run('library', 'pull', 'acme/parts', '-o', 'both');
  expect(await readFile(join(ann.home, 'both/cup.stl'), 'utf8')).toBe(cube('cup-of-ben'));
  expect(await readFile(join(ann.home, 'both/base.stl'), 'utf8')).toBe(cube('base-of-ann'));
});

test('a required check stands in the way of a proposal until it has passed', async () => {
  const broken = 'solid broken\nfacet normal 0 0 1\nouter loop\nvertex 0 0 x\n';
  await published('gated', { 'base.stl': broken });
  const check = (number: string, ...options: string[]) =>
    ann.run('proposal', 'check', 'acme/gated', number, ...options);
  expect((await ann.run('proposal', 'require', 'acme/gated', 'check', 'weight')).stdout).toBe(
    'check\nweight\n',
  );
  await write(ben, 'gated', { 'arm.stl': broken });
  await ben.run('library', 'push', 'gated', 'acme/gated', '--propose', 'Broken arm');

  expect(await ben.run('proposal', 'check', 'acme/gated', '1')).toMatchObject({ code: 4 });
  const failed = await check('1');
  expect(failed).toMatchObject({ code: 7, stdout: expect.stringMatching(/^arm\.stl: error: /) });
  expect(failed.stdout).toContain('Check "check" of proposal 1: failed.\n');
  const refused = await ann.run('proposal', 'accept', 'acme/gated', '1');
  expect(refused).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('"check" has failed, "weight" is missing'),
  });

  await write(ben, 'gated', { 'arm.stl': cube('whole') });
  await ben.run('library', 'push', 'gated', 'acme/gated', '--propose', 'Whole arm');
  await write(ann, 'gated', { 'bindery.yml': 'library:\n  license: MIT\n' });
  expect((await ann.run('library', 'push', 'gated', 'acme/gated')).code).toBe(0);
  expect(await check('2', '--json')).toMatchObject({ code: 0 });
  const posting = [
    '--name',
    'weight',
    '--state',
    'passed',
    '--summary',
    '2 kg',
    '--url',
    'https://ci.test/7',
  ];
  expect((await check('2', ...posting)).stdout).toBe('Check "weight" of proposal 2: passed.\n');
  const shown = await ben.run('proposal', 'show', 'acme/gated', '2');
  expect(shown.stdout).toMatch(/check +passed +required +1 asset: 0 errors, 0 warnings, 0 notes\. +ann\n/);
  expect(shown.stdout).toMatch(/weight +passed +required +2 kg https:\/\/ci\.test\/7 +ann\n/);
  expect(await ann.run('proposal', 'accept', 'acme/gated', '2')).toMatchObject({ code: 0 });
  expect(await ann.run('proposal', 'require', 'acme/gated', '--none')).toMatchObject({ code: 0, stdout: '' });
});

test('a check does not pass over a file that no folder would have published', async () => {
  await published('sly');
  const benAtHttp = await service.member('ben');
  const { bytes } = await exchange(`${service.url}/namespaces/acme/libraries/sly/manifest`, {
    method: 'GET',
    headers: benAtHttp.headers,
  });
  const [base, content] = [hash('sha256', bytes), cube('base')];
  const [size, sha256] = [content.length, hash('sha256', content)];
  const arm = { id: 'arm', entry: '.spare/arm.stl', files: [{ path: '.spare/arm.stl', size, sha256 }] };
  const title = 'Hidden arm';
  await benAtHttp.post('/namespaces/acme/libraries/sly/proposals', {
    title,
    changes: { base, assets: [arm] },
  });
  expect(await ann.run('proposal', 'check', 'acme/sly', '1')).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('.spare would be published, and is not checked'),
  });
});

test('nobody else learns that there are proposals, or the library', async () => {
  await published('secret');
  await write(ben, 'secret', { 'arm.stl': cube('arm-of-ben') });
  await ben.run('library', 'push', 'secret', 'acme/secret', '--propose', 'Arm');
  await write(carol, 'theirs', { 'arm.stl': cube('arm-of-carol') });
  for (const words of [
    ['proposal', 'list', 'acme/secret'],
    ['proposal', 'show', 'acme/secret', '1'],
    ['proposal', 'accept', 'acme/secret', '1'],
  ]) {
    const there = await carol.run(...words);
    const notThere = await carol.run(...words.map((word) => word.replace('secret', 'absent')));
    expect(there).toEqual({ ...notThere, stderr: notThere.stderr.replaceAll('absent', 'secret') });
    expect(there.code).toBe(5);
  }
  const pushed = await carol.run('library', 'push', 'theirs', 'acme/secret', '--propose', 'Arm');
  expect(pushed.code).toBe(5);
});
