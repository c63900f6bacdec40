import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthor } from './author.ts';
import { bindery, type RunningService, serve } from './bindery.ts';

let service: RunningService;
const tokens = { ada: '', bob: '' };

beforeAll(async () => {
  service = await serve();
  for (const person of ['ada', 'bob'] as const) tokens[person] = await createAuthor(service, person);
});
afterAll(() => service.dispose());

/** Runs a command as one of the users. `words` is split at spaces; `more` is passed unchanged. */
function run(person: 'ada' | 'bob', words: string, ...more: string[]) {
  return bindery([...words.split(' '), ...more], {
    env: { BINDERY_API_URL: service.url, BINDERY_TOKEN: tokens[person] },
  });
}

async function json(person: 'ada' | 'bob', words: string, ...more: string[]) {
  const { exitCode, stdout, stderr } = await run(person, words, ...more, '--json');
  expect([exitCode, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

describe('projects, Notes and Bindrs on the command line', () => {
  test('ada creates a project, grants bob access, and revokes it', async () => {
    const made = await run('ada', 'project create ada', 'Kitchen scenes');
    expect(made).toMatchObject({ exitCode: 0, stdout: 'Created project ada/kitchen-scenes.\n' });
    expect((await run('bob', 'project inspect ada/kitchen-scenes')).exitCode).toBe(5);

    expect((await run('ada', 'project grant ada/kitchen-scenes bob writer')).stdout).toBe(
      'bob now has the role writer.\n',
    );
    expect((await json('bob', 'project list ada')).projects).toMatchObject([
      { slug: 'kitchen-scenes', permissions: { role: 'writer' } },
    ]);
    expect((await run('bob', 'project update ada/kitchen-scenes --name Mine')).exitCode).toBe(4);
    expect((await json('ada', 'project grants ada/kitchen-scenes')).grants).toHaveLength(2);

    expect((await run('ada', 'project revoke ada/kitchen-scenes bob')).exitCode).toBe(0);
    expect((await run('bob', 'project inspect ada/kitchen-scenes')).exitCode).toBe(5);
  });

  test('a Note is created, tagged, shown, filed, unfiled, renamed, found and deleted', async () => {
    await run('ada', 'project create ada', 'Workshop');
    const { id } = await json('ada', 'note create ada', 'Handle too thin', '--project', 'workshop');
    const note = `ada/${id}`;
    const bindr = await json('ada', 'bindr create ada/workshop', 'urgent');
    const [node] = (await json('ada', 'note show', note)).nodes;
    await run('ada', 'bindr tag ada/workshop', bindr.id, node.id);

    const shown = await run('ada', 'note show', note);
    expect(shown.stdout).toContain('Handle too thin');
    expect(shown.stdout).toContain('urgent');

    const last = await run('ada', 'note unfile', note, 'workshop');
    expect(last.exitCode).toBe(6);
    expect(last.stderr).toContain('File it elsewhere first');
    await run('ada', 'note file', note, 'kitchen-scenes');
    expect((await run('ada', 'note unfile', note, 'workshop')).exitCode).toBe(0);

    expect((await run('ada', 'note rename', note, 'Handle fixed')).exitCode).toBe(0);
    expect((await json('ada', 'note list ada --search FIXED')).total).toBe(1);
    expect((await run('ada', 'note delete', note)).exitCode).toBe(2);
    expect((await run('ada', 'note delete', note, '--yes')).exitCode).toBe(0);
    expect((await run('ada', 'note show', note)).exitCode).toBe(5);
  });

  test('Bindrs form a tree, and moving one below its own child is refused', async () => {
    const make = async (name: string, ...parent: string[]) =>
      (await json('ada', 'bindr create ada/workshop', name, ...parent)).id as string;
    const tools = await make('tools');
    const hammers = await make('hammers', '--parent', tools);
    expect((await run('ada', 'bindr list ada/workshop')).stdout).toContain(`${hammers}    hammers`);
    expect((await run('ada', 'bindr move ada/workshop', tools, '--parent', hammers)).exitCode).toBe(6);
    expect((await run('ada', 'bindr delete ada/workshop', tools, '--yes')).exitCode).toBe(6);
    expect((await run('ada', 'bindr move ada/workshop', hammers)).stdout).toBe(
      '"hammers" is at the top now.\n',
    );
    expect((await run('ada', 'bindr rename ada/workshop', hammers, 'mallets')).exitCode).toBe(0);
    expect((await run('ada', 'bindr delete ada/workshop', tools, '--yes')).exitCode).toBe(0);
  });

  test.each([
    ['project inspect kitchen', 2],
    ['project list Nobody', 2],
    ['project list nobody', 5],
    ['project grant ada/workshop bob king', 2],
    ['note show ada/nothing', 5],
    ['bindr move ada/workshop nothing', 5],
  ])('bindery %s exits with %i and an error message', async (words, exitCode) => {
    const ended = await run('ada', words);
    expect(ended.exitCode).toBe(exitCode);
    expect(ended.stderr.trim()).not.toBe('');
    expect(ended.stdout).toBe('');
  });
});
