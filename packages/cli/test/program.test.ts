import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadLibrary } from '../src/commands/library/index.ts';
import { operands } from '../src/program.ts';
import { createTerminalUser, type TerminalUser, waitForExit } from './command-line.ts';

let ada: TerminalUser;
beforeAll(async () => {
  ada = await createTerminalUser();
});
afterAll(() => ada.dispose());

describe('help', () => {
  test('is printed by "bindery" without arguments', async () => {
    const { code, stdout, stderr } = await ada.run();
    expect([code, stderr]).toEqual([0, '']);
    for (const name of ['login', 'profile', 'namespace', 'member', 'token', 'serve', 'completion']) {
      expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
    }
  });

  test('of a command shows its arguments, options and examples, with --help and with "help"', async () => {
    const { stdout } = await ada.run('token', 'create', '--help');
    expect(stdout).toContain('Usage: bindery token create [options] <name>');
    expect(stdout).toContain('--scope <scope>');
    expect(stdout).toContain('Examples:\n  bindery token create laptop-sync');
    expect((await ada.run('help', 'token', 'create')).stdout).toBe(stdout);
  });

  test('of a command group without a subcommand goes to stderr, with exit code 2', async () => {
    const { code, stdout, stderr } = await ada.run('token');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('revoke <id or name>');
  });
});

test.each([[['--json']], [['token', '--json']]])(
  'a missing command is an object with --json: %j',
  async (words) => {
    const { code, stdout, stderr } = await ada.run(...words);
    expect([code, stdout]).toEqual([2, '']);
    expect(JSON.parse(stderr)).toMatchObject({
      error: 'usage',
      message: 'A command is missing.',
      exitCode: 2,
    });
  },
);

describe('a mistyped command', () => {
  test.each([
    [['profle'], "Unknown command 'profle'. Did you mean profile?", '"bindery --help"'],
    [
      ['stat'],
      `Unknown command 'stat'. Did you mean "bindery library stat"?`,
      '"bindery library stat --help"',
    ],
    [['library', 'use'], `Unknown command 'use'. Did you mean "bindery use"?`, '"bindery use --help"'],
    [
      ['token', 'pull'],
      `Unknown command 'pull'. Did you mean "bindery library pull", "bindery pull", or "bindery model pull"?`,
      '"bindery token --help"',
    ],
    [['whoami'], `Unknown command 'whoami'. Did you mean "bindery profile"?`, '"bindery profile --help"'],
    [['constructor'], "Unknown command 'constructor'.", '"bindery --help"'],
    [['token', 'creat'], "Unknown command 'creat'. Did you mean create?", '"bindery token --help"'],
    [['cache', 'prune'], "Required option '--keep <size>' not specified.", '"bindery cache prune --help"'],
    [
      ['cache', 'prune', '--kep', '3G'],
      "Unknown option '--kep'. Did you mean --keep?",
      '"bindery cache prune --help"',
    ],
    [
      ['library', 'log', 'ada/robots/arm'],
      'Invalid library "ada/robots/arm": this is about a whole library: ada/robots.',
      '"bindery library log --help"',
    ],
    [['token', 'create'], "Missing required argument 'name'.", '"bindery token create --help"'],
    [
      ['token', 'create', 'ci', '--expirs', '3'],
      "Unknown option '--expirs'. Did you mean --expires?",
      '"bindery token create --help"',
    ],
    [
      ['token', 'create', 'ci', '--expires', 'soon'],
      'Invalid --expires "soon": expected an integer from 1 to 3650.',
      '"bindery token create --help"',
    ],
    [
      ['token', 'create', 'ci', '--scope', 'admin'],
      'Invalid --scope "admin": choose read or write.',
      '"bindery token create --help"',
    ],
    [
      ['token', 'create', 'ci', '--scope', 'read', '--scope', 'write'],
      '--scope takes one value, but is given twice.',
      '"bindery token create --help"',
    ],
    [
      ['library', 'push', 'robots', '--library', 'acme/robots'],
      'Invalid --library "acme/robots": expected its name; a namespace goes in <ns/name> after the folder, or in --namespace.',
      '"bindery library push --help"',
    ],
    [
      ['library', 'pull', 'acme/robots', '-o', 'a', '--out', 'b'],
      '--out takes one value, but is given twice.',
      '"bindery library pull --help"',
    ],
    [
      ['library', 'pull', 'acme/robots', '-o', 'a', '--asset', '!(arm)'],
      'Invalid --asset "!(arm)": it begins with "!", which is not supported; list what to include.',
      '"bindery library pull --help"',
    ],
    [
      ['token', 'list', '--api-url', 'http://a.example', '--api-url', 'http://b.example'],
      '--api-url takes one value, but is given twice.',
      '"bindery --help"',
    ],
    [
      ['--api-url', 'http://a.example', 'token', 'list', '--dash-url', 'http://b.example'],
      '--api-url or --dash-url takes one value, but is given twice.',
      '"bindery token list --help"',
    ],
    [
      ['namespace', 'show', 'Acme'],
      'Invalid slug "Acme": must be 1 to 39 lowercase letters, digits or hyphens, not with a hyphen at the start or end.',
      '"bindery namespace info --help"',
    ],
    [
      ['token', 'list', 'extra'],
      "Too many arguments for 'list'. Expected 0 arguments but got 1: extra.",
      '"bindery token list --help"',
    ],
  ])('exits with code 2 and points to the right help: %j', async (words, message, next) => {
    const { code, stdout, stderr } = await ada.run(...words);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(`Error: ${message}\n${next} shows how to use it.\n`);
  });

  test('with an invalid server address exits with code 2 and names the settings to check', async () => {
    const { code, stderr } = await ada.run('profile', '--api-url', 'localhost:7420');
    expect(code).toBe(2);
    expect(stderr).toContain('"localhost:7420" is not a server address');
    expect(stderr).toContain('Check --api-url, BINDERY_API_URL and remote_url.');
  });

  test('with --json prints the failure as one JSON object on stderr', async () => {
    const { code, stdout, stderr } = await ada.run('token', 'list', '--json', '--nope');
    expect([code, stdout]).toEqual([2, '']);
    expect(JSON.parse(stderr)).toEqual({
      error: 'usage',
      message: "Unknown option '--nope'.",
      next: '"bindery token list --help" shows how to use it.',
      exitCode: 2,
    });
  });
});

test.each([[['--json', 'token', 'list']], [['token', '--json', 'list']], [['token', 'list', '--json']]])(
  'global options are accepted anywhere on the command line: %j',
  async (words) => {
    const { code, stderr } = await ada.run(...words);
    expect(code).toBe(4);
    expect(JSON.parse(stderr)).toMatchObject({ error: 'unauthenticated', exitCode: 4 });
  },
);

test('piped output is coloured only with FORCE_COLOR, and never with --no-color or NO_COLOR', async () => {
  const red = '\u001b[31m';
  expect((await ada.run('profile')).stderr).not.toContain(red);
  expect((await ada.with({ FORCE_COLOR: '1' }).run('profile')).stderr).toContain(red);
  expect((await ada.with({ FORCE_COLOR: '1' }).run('profile', '--no-color')).stderr).not.toContain(red);
  expect((await ada.with({ FORCE_COLOR: '1', NO_COLOR: '1' }).run('profile')).stderr).not.toContain(red);
});

test('a reader that closes the pipe early causes no error', async () => {
  const child = ada.start('completion', 'fish');
  child.stdout?.destroy();
  expect(await waitForExit(child)).toMatchObject({ code: 0, stderr: '' });
});

test.each([
  [['token', 'list'], 'token'],
  [['--json', 'token'], 'token'],
  [['--api-url', 'http://a.example', 'token'], 'token'],
  [['--api-url=http://a.example', '-q', 'token'], 'token'],
  [['--help'], undefined],
])('the command of %j is %s', (words, command) => {
  expect(operands(words)[0]).toBe(command);
});

test('loadLibrary loads only the named command, and all commands for an unknown name', async () => {
  const names = (await loadLibrary(undefined)).commands.map(({ name }) => name);
  expect(names).toContain('pull');
  for (const name of names) {
    expect((await loadLibrary(name)).commands.map((command) => command.name)).toEqual([name]);
  }
  expect((await loadLibrary('constructor')).commands).toHaveLength(names.length);
});
