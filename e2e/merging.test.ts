import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuthor } from './author.ts';
import { bindery, type CommandResult, type RunningService, serve, temporaryFolder } from './bindery.ts';

type Person = 'ada' | 'bob';

let service: RunningService;
const tokens = { ada: '', bob: '' };
const homes = { ada: '', bob: '' };
beforeAll(async () => {
  service = await serve();
  for (const person of ['ada', 'bob'] as const) {
    tokens[person] = await createAuthor(service, person);
    homes[person] = await temporaryFolder();
  }
  expect((await run('ada', 'member', 'add', 'ada', 'bob')).exitCode).toBe(0);
});
afterAll(async () => {
  await service.dispose();
  for (const home of Object.values(homes)) await rm(home, { recursive: true, force: true });
});

/** A command that somebody types at home. */
function run(person: Person, ...words: string[]): Promise<CommandResult> {
  return bindery(words, {
    cwd: homes[person],
    env: { HOME: homes[person], BINDERY_API_URL: service.url, BINDERY_TOKEN: tokens[person] },
  });
}

const push = (person: Person, ...more: string[]) =>
  run(person, 'library', 'push', 'robots', 'ada/robots', ...more);
const pull = (person: Person, ...more: string[]) =>
  run(person, 'library', 'pull', 'ada/robots', '-o', 'robots', ...more);

const yaml = (arm: string, hand: string) => `assets:
  arm: { title: ${arm} }
  # Both know this one.
  hand: { title: ${hand} }
`;

async function write(person: Person, files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(homes[person], 'robots', path);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, content);
  }
}

test('two people edit one bindery.yml, merge, and lose nothing', async () => {
  await write('ada', { 'arm/arm.glb': 'arm', 'hand/hand.glb': 'hand', 'bindery.yml': yaml('Arm', 'Hand') });
  expect(await push('ada')).toMatchObject({ exitCode: 0 });
  expect(await pull('bob')).toMatchObject({ exitCode: 0 });

  await write('bob', { 'bindery.yml': yaml('Arm', 'Left hand') });
  expect(await push('bob')).toMatchObject({ exitCode: 0 });
  await write('ada', { 'bindery.yml': yaml('Left arm', 'Hand') });
  const refused = await push('ada');
  expect(refused).toMatchObject({ exitCode: 6, stderr: expect.stringContaining('Pull first with') });
  const merged = await pull('ada');
  expect(merged).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('what others changed') });
  expect(await readFile(join(homes.ada, 'robots/bindery.yml'), 'utf8')).toBe(yaml('Left arm', 'Left hand'));
  expect(await push('ada')).toMatchObject({ exitCode: 0 });

  expect(await pull('bob')).toMatchObject({ exitCode: 0 });
  await write('bob', { 'bindery.yml': yaml('Arm of Bob', 'Left hand') });
  expect(await push('bob')).toMatchObject({ exitCode: 0 });
  await write('ada', { 'bindery.yml': yaml('Arm of Ada', 'Left hand') });
  const kept = await pull('ada', '--keep');
  expect(kept.stderr).toContain('assets.arm.title: "Arm of Ada" here, "Arm of Bob" there');
  const unmerged = await push('ada');
  expect(unmerged).toMatchObject({ exitCode: 6, stderr: expect.stringContaining('--force=bindery.yml') });
  expect(unmerged.stderr).not.toContain('Pull first');

  await write('bob', { 'hand/hand.glb': 'softer hand' });
  expect(await push('bob')).toMatchObject({ exitCode: 0 });
  const stopped = await push('ada', '--force=bindery.yml');
  expect(stopped).toMatchObject({ exitCode: 6, stderr: expect.stringContaining('hand (changed there)') });
  expect(await pull('ada', '--keep')).toMatchObject({ exitCode: 0 });
  expect(await push('ada', '--force=bindery.yml')).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('Replaced what others had published:\n  bindery.yml (changed there)'),
  });
  expect(await readFile(join(homes.ada, 'robots/hand/hand.glb'), 'utf8')).toBe('softer hand');
});

test('--force takes no argument for an item', async () => {
  const pushed = await run('ada', 'library', 'push', '--force', 'robots', 'ada/robots');
  expect(pushed).toMatchObject({ exitCode: 0 });
});

test('an earlier revision is pulled, released and restored by its number', async () => {
  const folder = join(homes.bob, 'hands');
  const push = () => run('bob', 'library', 'push', 'hands', 'ada/hands', '--visibility', 'public');
  await mkdir(folder);
  for (const text of ['first', 'second', 'third']) {
    await writeFile(join(folder, 'hand.glb'), text);
    expect((await push()).exitCode).toBe(0);
  }
  const earlier = await run('bob', 'library', 'pull', 'ada/hands#1', '-o', 'hands-1');
  expect(earlier).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('Pulled revision 1 of ada/hands'),
  });
  expect(await readFile(join(homes.bob, 'hands-1/hand.glb'), 'utf8')).toBe('first');
  const released = await run('ada', 'library', 'release', 'ada/hands', 'v2', '--revision', '2');
  expect(released).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('Released revision 2 as v2'),
  });
  const restored = await run('ada', 'library', 'restore', 'ada/hands#1');
  expect(restored).toMatchObject({
    exitCode: 0,
    stdout: 'ada/hands has the content of revision 1 again, as revision 4.\n',
  });
  expect((await run('ada', 'library', 'pull', 'ada/hands')).exitCode).toBe(0);
  expect(await readFile(join(homes.ada, 'hands/hand.glb'), 'utf8')).toBe('first');

  for (const words of [
    ['restore', 'ada/hands#9'],
    ['pull', 'ada/hands#9', '-o', 'none'],
  ]) {
    const missing = await run('ada', 'library', ...words);
    expect(missing).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining('ada/hands#9 does not exist'),
    });
    expect(missing.stderr).toContain('bindery library log ada/hands');
  }
  const stranger = await createAuthor(service, 'eve');
  const env = { HOME: homes.ada, BINDERY_API_URL: service.url, BINDERY_TOKEN: stranger };
  const words = ['library', 'pull', 'ada/hands#1', '-o', 'none'];
  expect((await bindery(words, { cwd: homes.ada, env })).exitCode).toBe(5);
  for (const words of [
    ['library', 'info', 'ada/hands#1'],
    ['use', 'ada/hands#1/hand'],
    ['library', 'pull', 'ada/hands#x'],
  ])
    expect(await run('ada', ...words)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('revision'),
    });
});
