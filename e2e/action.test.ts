import { spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { Author, createAuthor, cube } from './author.ts';
import { type RunningService, serve } from './bindery.ts';

interface Action {
  inputs: Record<string, { required?: boolean; default?: string }>;
  outputs: Record<string, { value: string }>;
  runs: { steps: { id: string; shell: string; env: Record<string, string>; run: string }[] };
}

/** Where the action is: its dependencies are installed already. */
const CLONE = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

let action: Action;
let service: RunningService;
let token: string;
beforeAll(async () => {
  action = parse(await readFile(new URL('../action.yml', import.meta.url), 'utf8'));
  service = await serve();
  token = await createAuthor(service);
});
afterAll(() => service.dispose());

/** What a code host does with a composite action: each step's script with its environment, up to the first that fails. */
async function runAction(author: Author, given: Record<string, string>) {
  const work = join(author.home, 'runner');
  await mkdir(work, { recursive: true });
  const inputs = Object.fromEntries(
    Object.entries(action.inputs).map(([name, { default: fallback = '' }]) => [
      name,
      given[name] ?? fallback,
    ]),
  );
  const outputs: Record<string, string> = {};
  const expand = (text: string) =>
    text.replace(/\$\{\{ (?:inputs\.(\w+)|steps\.\w+\.outputs\.(\w+)) \}\}/g, (_, input, output) =>
      input === undefined ? (outputs[output] ?? '') : (inputs[input] ?? `no input ${input}`),
    );
  let exitCode = 0;
  for (const { run, env } of action.runs.steps) {
    const output = join(work, 'output');
    await writeFile(output, '');
    const stepEnv = Object.fromEntries(Object.entries(env).map(([name, text]) => [name, expand(text)]));
    const { PATH } = process.env;
    const { BINDERY_TOKEN: _, BINDERY_API_URL: __, ...machine } = author.env;
    const ended = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run], {
      cwd: author.home,
      env: {
        PATH,
        ...machine,
        ...stepEnv,
        RUNNER_TEMP: work,
        GITHUB_ACTION_PATH: CLONE,
        GITHUB_OUTPUT: output,
        GITHUB_STEP_SUMMARY: join(work, 'summary.md'),
      },
    });
    for (const line of (await readFile(output, 'utf8')).split('\n').filter(Boolean)) {
      const [name = '', value] = line.split(/=(.*)/s);
      outputs[name] = value ?? '';
    }
    exitCode = ended.status ?? 1;
    if (exitCode !== 0) break;
  }
  const declared = Object.entries(action.outputs).map(([name, { value }]) => [name, expand(value)] as const);
  return { exitCode, outputs: Object.fromEntries(declared) };
}

describe('the action for code hosts', () => {
  const given = (more: Record<string, string> = {}) => ({
    server: service.url,
    library: 'ada/shapes',
    folder: 'shapes',
    token,
    ...more,
  });

  test('checks, says in Markdown what a push would change, and pushes and releases only when it is told to', async () => {
    const ada = await Author.create(service, token, { 'cube/cube.obj': cube(), 'dice/````.obj': cube(3) });
    const planned = await runAction(ada, given());
    expect(planned.exitCode).toBe(0);
    expect(JSON.parse(await readFile(planned.outputs.sarif ?? '', 'utf8'))).toMatchObject({
      version: '2.1.0',
    });
    const plan = await readFile(planned.outputs.plan ?? '', 'utf8');
    expect(plan).toMatch(/^### ada\/shapes\n\n(`{5})text\n[\s\S]*added +cube[\s\S]*\n\1\n$/);
    expect(planned.outputs.revision).toBe('');
    await expect(ada.manifest('ada/shapes')).resolves.not.toHaveProperty('assets');

    const pushed = await runAction(
      ada,
      given({ publish: 'true', release: 'v1', options: '--visibility public' }),
    );
    expect(pushed).toMatchObject({ exitCode: 0, outputs: { revision: '1' } });
    expect(await ada.run('info', 'ada/shapes@v1')).toMatchObject({ visibility: 'public' });
    expect(await runAction(ada, given({ publish: 'true', release: 'v1' }))).toEqual({
      exitCode: 0,
      outputs: pushed.outputs,
    });
  });

  test('shows the plan as one block of text, whatever files are called', async () => {
    const ada = await Author.create(service, token, { '````': 'x', '``````': 'x', 'cube/cube.obj': cube() });
    const { outputs } = await runAction(ada, given({ library: 'ada/fences' }));
    const [, , opening = '', ...lines] = (await readFile(outputs.plan ?? '', 'utf8')).trimEnd().split('\n');
    const fence = opening.replace(/text$/, '');
    expect(lines.join('\n')).toContain('``````');
    const closing = lines.findIndex((line) => new RegExp(`^ {0,3}${fence}\`* *$`).test(line));
    expect(closing).toBe(lines.length - 1);
  });

  test('runs another command line if it is given one', async () => {
    const ada = await Author.create(service, token, { 'cube/cube.obj': cube() });
    expect(await runAction(ada, given({ command: 'false --' }))).toMatchObject({ exitCode: 1 });
  });

  test('stops at an error of the check, with the SARIF that says where it is', async () => {
    const ada = await Author.create(service, token, {
      'arm/arm.xml': '<mujoco><worldbody><geom type="mesh" mesh="none"/></worldbody></mujoco>',
    });
    const { exitCode, outputs } = await runAction(ada, given({ library: 'ada/broken', publish: 'true' }));
    expect(exitCode).toBe(7);
    expect(await readFile(outputs.sarif ?? '', 'utf8')).toContain('arm/arm.xml');
    await expect(ada.manifest('ada/broken')).resolves.not.toHaveProperty('assets');
  });

  test('takes names as they are, whatever a shell would make of them', async () => {
    const ada = await Author.create(service, token, { 'cube/cube.obj': cube() });
    const library = 'ada/$(touch owned)';
    expect(await runAction(ada, given({ library }))).toMatchObject({ exitCode: 2 });
    expect(await readFile(join(ada.home, 'owned')).catch(() => null)).toBeNull();
    for (const { run } of action.runs.steps) expect(run).not.toContain('${{');
  });
});
