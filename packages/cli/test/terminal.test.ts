import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publish } from '../../server/test/libraries/publish.ts';
import { startService, type TestService } from '../../server/test/service.ts';
import { BINDERY, newPerson, outcome, type Person, seen } from './command-line.ts';

let service: TestService;
let ada: Person;
beforeAll(async () => {
  service = await startService();
  const { headers } = await service.member('ada');
  const person = await newPerson(service.url);
  ada = person.with({
    BINDERY_TOKEN: headers.authorization?.replace('Bearer ', '') ?? '',
    TERM: 'xterm',
    SHELL: '/bin/sh',
  });
});
afterAll(async () => {
  await ada.leaves();
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

test('a question is asked before something is lost, and "no" is where it stands', async () => {
  await ada.types('namespace', 'create', 'acme');
  const child = onTerminal('namespace', 'delete', 'acme');
  const ended = outcome(child);
  await seen(child.stdout, /Delete namespace acme\?/);
  child.stdin.write(ENTER);
  const { code, stdout } = await ended;
  expect(code).toBe(2);
  expect(stdout).toContain('Nothing was changed.');
  expect((await ada.types('namespace', 'show', 'acme')).code).toBe(0);
});

test('a hit takes one line of the terminal, however much there is to say of it', async () => {
  const description = 'A mug, '.repeat(40);
  const member = await service.member('ada');
  await publish(member, 'ada/kitchen', { assets: [{ id: 'mug', description, files: { 'mug/a.stl': 'a' } }] });
  const search = ['library', 'search', 'mug', '--library', 'ada/kitchen'];
  const { stdout } = await outcome(onTerminal(...search));
  const [hit = ''] = stripVTControlCharacters(stdout).split('\r\n');
  expect(hit).toMatch(/^ada\/kitchen\/mug .* A mug, .*…$/);
  expect(hit).toHaveLength(100);
  expect((await ada.types(...search)).stdout).toContain(description.trim());
});

test('"yes" goes ahead', async () => {
  await ada.types('namespace', 'create', 'beta');
  const child = onTerminal('namespace', 'delete', 'beta');
  const ended = outcome(child);
  await seen(child.stdout, /Delete namespace beta\?/);
  child.stdin.write('y');
  const { code, stdout } = await ended;
  expect(code).toBe(0);
  expect(stdout).toContain('Deleted namespace beta.');
});

test('Ctrl-C at a question changes nothing, exit code 130', async () => {
  await ada.types('namespace', 'create', 'gamma');
  const child = onTerminal('namespace', 'delete', 'gamma');
  const ended = outcome(child);
  await seen(child.stdout, /Delete namespace gamma\?/);
  child.stdin.write(CTRL_C);
  expect((await ended).code).toBe(130);
  expect((await ada.types('namespace', 'show', 'gamma')).code).toBe(0);
});

test('a login shows a QR code, and Ctrl-C gives up', async () => {
  const child = onTerminal('login', '--no-browser');
  const ended = outcome(child);
  await seen(child.stdout, /Ctrl-C gives up/);
  child.stdin.write(CTRL_C);
  const { code, stdout } = await ended;
  expect(stdout).toMatch(/[▀▄█]{10}/);
  expect(stdout).toContain('Interrupted.');
  expect(code).toBe(130);
});

test('a table has headings and aligned columns', async () => {
  const { stdout } = await outcome(onTerminal('namespace', 'list'));
  const [headings = '', first = ''] = stripVTControlCharacters(stdout).split('\r\n');
  expect(headings).toMatch(/^SLUG +NAME +KIND +ROLE/);
  expect(first.indexOf('owner')).toBe(headings.indexOf('ROLE'));
});
