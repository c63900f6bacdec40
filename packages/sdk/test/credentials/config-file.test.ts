import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configFolder, readConfig, updateConfig } from '../../src/credentials/config.ts';

let folder: string;
let warnings: string[];
const warn = (text: string) => warnings.push(text);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bindery-config-'));
  warnings = [];
});
afterEach(() => rm(folder, { recursive: true }));

test('updating config.json changes only the given keys and makes it readable by its owner alone', async () => {
  await writeFile(
    join(folder, 'config.json'),
    JSON.stringify({ remote_url: 'https://a.example', theme: { dark: true } }),
  );
  await updateConfig(folder, { device_secret: 'abc', remote_url: undefined }, warn);
  expect(JSON.parse(await readFile(join(folder, 'config.json'), 'utf8'))).toEqual({
    theme: { dark: true },
    device_secret: 'abc',
  });
  expect((await stat(join(folder, 'config.json'))).mode & 0o777).toBe(0o600);
  expect(warnings).toEqual([]);
});

test.each([
  ['text that is not JSON', '{"remote_url": ', 'it is not JSON'],
  ['a list', '[]', 'the whole must be an object'],
  ['a number for an address', '{"remote_url": 5}', '"remote_url" must be text'],
])('config.json with %s is reported, not used, and kept aside on the next update', async (_, text, why) => {
  const path = join(folder, 'config.json');
  await writeFile(path, text);
  expect(await readConfig(folder)).toEqual({ config: {}, damage: `${path} is damaged: ${why}.` });
  expect(await readFile(path, 'utf8')).toBe(text);

  await updateConfig(folder, { auth_url: 'https://b.example' }, warn);
  const [aside] = (await readdir(folder)).filter((name) => name !== 'config.json');
  expect(await readFile(join(folder, aside ?? ''), 'utf8')).toBe(text);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain(aside);
  expect((await readConfig(folder)).config).toEqual({ auth_url: 'https://b.example' });
});

test('updating config.json through a symlink writes to its target', async () => {
  const elsewhere = join(folder, 'elsewhere');
  await mkdir(elsewhere);
  await writeFile(join(elsewhere, 'config.json'), '{}');
  await symlink(join(elsewhere, 'config.json'), join(folder, 'config.json'));
  await updateConfig(folder, { api_key: 'bnd_key' }, warn);
  expect(JSON.parse(await readFile(join(elsewhere, 'config.json'), 'utf8'))).toEqual({ api_key: 'bnd_key' });
});

test.each([
  [{ BINDERY_CONFIG_DIR: '/own', XDG_CONFIG_HOME: '/xdg', HOME: '/home/ada' }, 'linux', '/own'],
  [{ XDG_CONFIG_HOME: '/xdg', HOME: '/home/ada' }, 'linux', '/xdg/bindery'],
  [{ HOME: '/home/ada' }, 'linux', '/home/ada/.config/bindery'],
  [{ HOME: '/Users/ada' }, 'darwin', '/Users/ada/.config/bindery'],
] as const)('with %j on %s the config folder is %s', (environment, platform, expected) => {
  expect(configFolder(environment, platform)).toBe(expected);
});
