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
