import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publish } from '../../server/test/libraries/publish.ts';
import { startService, type TestService } from '../../server/test/service.ts';
import {
  BINDERY,
  createTerminalUser,
  type TerminalUser,
  waitForExit,
  waitForOutput,
} from './command-line.ts';

let service: TestService;
let ada: TerminalUser;
beforeAll(async () => {
  service = await startService();
  const { headers } = await service.member('ada');
  const person = await createTerminalUser(service.url);
  ada = person.with({
    BINDERY_TOKEN: headers.authorization?.replace('Bearer ', '') ?? '',
    TERM: 'xterm',
    SHELL: '/bin/sh',
  });
});
afterAll(async () => {
  await ada.dispose();
  await service.close();
});

/** Types a command on a terminal, which util-linux's `script` makes; what comes back is what the screen shows. */
function onTerminal(...words: string[]) {
  const line = [process.execPath, BINDERY, ...words].map((word) => `'${word}'`).join(' ');
  const command = `stty cols 100 rows 30; exec ${line}`;
  return spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: ada.environment,
  });
}

const ENTER = '\r';
const CTRL_C = '\u0003';

test('deleting a namespace asks for confirmation, and Enter means no', async () => {
  await ada.run('namespace', 'create', 'acme');
  const child = onTerminal('namespace', 'delete', 'acme');
  const ended = waitForExit(child);
  await waitForOutput(child.stdout, /Delete namespace acme\?/);
  child.stdin.write(ENTER);
  const { code, stdout } = await ended;
  expect(code).toBe(2);
  expect(stdout).toContain('Nothing was changed.');
  expect((await ada.run('namespace', 'show', 'acme')).code).toBe(0);
});

test('search hits are printed in columns, one line each, with titles and without their control characters', async () => {
  const member = await service.member('ada');
  const hostile = '\u001b[2J\u001b]8;;https://evil.example\u0007Mug\u001b]8;;\u0007\u009b31m\nsecond line';
  await publish(member, 'ada/kitchen', {
    assets: [
      { id: 'cup', title: 'A cup', description: 'A mug, '.repeat(40), files: { 'cup/a.stl': 'a' } },
      { id: 'mug-with-a-long-name', title: `${hostile}, ${'tall '.repeat(20)}`, files: { 'mug/a.stl': 'b' } },
    ],
  });
  const search = ['library', 'search', 'mug', '--library', 'ada/kitchen'];
  const { stdout } = await waitForExit(onTerminal(...search));
  const lines = stripVTControlCharacters(stdout).split('\r\n');
  expect(lines[0]).toMatch(/^ASSET +SCORE {2}KIND {2}LICENSE {2}TITLE$/);
  expect(lines[1]).toMatch(/^ada\/kitchen\/mug-with-a-long-name +\S+ {2}file +- +Mug.*…$/);
  expect(lines[2]).toMatch(/^ada\/kitchen\/cup +\S+ {2}file +- +A cup$/);
  for (const line of lines.slice(0, 3)) expect(line.length).toBeLessThanOrEqual(100);
  for (const sequence of ['\u001b[2J', '\u001b]8', '\u009b']) expect(stdout).not.toContain(sequence);
  const piped = await ada.run(...search);
  expect(piped.stdout).not.toMatch(/(?!\n)\p{Cc}/u);
  expect(piped.stdout.trimEnd().split('\n')).toHaveLength(2);
  expect(piped.stderr).toMatch(/^2 of 2 hits/m);
});

test('library inspect shows whole paths and shortened digests, and --json full digests', async () => {
  const path = `mug/${'deep/'.repeat(20)}a.stl`;
  const member = await service.member('ada');
  await publish(member, 'ada/shelf', { assets: [{ id: 'mug', files: { [path]: 'a' } }] });
  const { stdout } = await ada.run('library', 'inspect', 'ada/shelf', '--asset', 'mug');
  expect(stdout).toMatch(/^digest +sha256:[0-9a-f]{12}$/m);
  expect(stdout).toContain(path);
  const { digest } = JSON.parse((await ada.run('library', 'show', 'ada/shelf', '--json')).stdout);
  expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
});

test('answering "y" to the confirmation deletes the namespace', async () => {
  await ada.run('namespace', 'create', 'beta');
  const child = onTerminal('namespace', 'delete', 'beta');
  const ended = waitForExit(child);
  await waitForOutput(child.stdout, /Delete namespace beta\?/);
  child.stdin.write('y');
  const { code, stdout } = await ended;
  expect(code).toBe(0);
  expect(stdout).toContain('Deleted namespace beta.');
});

test('Ctrl-C at the confirmation changes nothing and exits with code 130', async () => {
  await ada.run('namespace', 'create', 'gamma');
  const child = onTerminal('namespace', 'delete', 'gamma');
  const ended = waitForExit(child);
  await waitForOutput(child.stdout, /Delete namespace gamma\?/);
  child.stdin.write(CTRL_C);
  expect((await ended).code).toBe(130);
  expect((await ada.run('namespace', 'show', 'gamma')).code).toBe(0);
});

test('login shows a QR code, and Ctrl-C cancels it with exit code 130', async () => {
  const child = onTerminal('login', '--no-browser');
  const ended = waitForExit(child);
  await waitForOutput(child.stdout, /Ctrl-C cancels/);
  child.stdin.write(CTRL_C);
  const { code, stdout } = await ended;
  expect(stdout).toMatch(/[▀▄█]{10}/);
  expect(stdout).toContain('Interrupted.');
  expect(code).toBe(130);
});

test('a table has headings and aligned columns', async () => {
  const { stdout } = await waitForExit(onTerminal('namespace', 'list'));
  const [headings = '', first = ''] = stripVTControlCharacters(stdout).split('\r\n');
  expect(headings).toMatch(/^SLUG +NAME +KIND +ROLE/);
  expect(first.indexOf('owner')).toBe(headings.indexOf('ROLE'));
});
