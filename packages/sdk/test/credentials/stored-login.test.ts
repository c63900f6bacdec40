import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { encryptedFile } from '../../src/credentials/encrypted-file.ts';
import { findToken } from '../../src/credentials/find-token.ts';
import { clearStoredToken, readStoredToken, storeToken } from '../../src/credentials/stored-login.ts';

let home: string;
let folder: string;
let warnings: string[];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'bindery-home-'));
  folder = join(home, 'config');
  warnings = [];
});
afterEach(() => rm(home, { recursive: true }));

/** Puts a shell program of this name before the system's own. */
async function installTool(name: string, script: string): Promise<void> {
  await mkdir(join(home, 'bin'), { recursive: true });
  await writeFile(join(home, 'bin', name), `#!/bin/sh\n${script}\n`);
  await chmod(join(home, 'bin', name), 0o755);
}

function storage(platform: NodeJS.Platform, variables: Record<string, string> = {}) {
  const path = `${join(home, 'bin')}${delimiter}${process.env.PATH}`;
  const environment = { PATH: path, HOME: home, ...variables };
  return { folder, platform, environment, warn: (text: string) => warnings.push(text) };
}

describe('a Secret Service that does not answer', () => {
  beforeEach(() => installTool('secret-tool', 'exec sleep 60'));

  test('counts as absent after three seconds, and a login says where its token went', async () => {
    const place = await storeToken('some.token.here', storage('linux'));
    expect(place).toContain('tokens.encrypted');
    expect(warnings).toEqual([
      `No answer from the Secret Service within three seconds. The token is kept in ${place}.`,
    ]);
    expect((await readStoredToken(storage('linux')))?.token).toBe('some.token.here');
  });

  test('is told of once by a logout, which empties the file all the same', async () => {
    await encryptedFile(folder).write('some.token.here');
    expect(await clearStoredToken(storage('linux'))).toHaveLength(1);
    expect(warnings).toEqual([
      'No answer from the Secret Service within three seconds. A token may still be kept there.',
    ]);
  });
});

test('a Secret Service that refuses leaves the token to the file, and says why', async () => {
  await installTool('secret-tool', 'echo "secret-tool: the keyring is locked" >&2; exit 1');
  const place = await storeToken('some.token.here', storage('linux'));
  expect(place).toContain('tokens.encrypted');
  expect(warnings[0]).toContain('the keyring is locked');
});

test('without secret-tool a login uses the file and says nothing', async () => {
  const options = storage('linux', { PATH: join(home, 'bin') });
  await mkdir(join(home, 'bin'));
  expect(await storeToken('some.token.here', options)).toContain('tokens.encrypted');
  expect((await readStoredToken(options))?.token).toBe('some.token.here');
  expect(await clearStoredToken(options)).toHaveLength(1);
  expect(warnings).toEqual([]);
});

test('on Windows a login uses the file', async () => {
  expect(await storeToken('some.token.here', storage('win32'))).toContain('tokens.encrypted');
});

test('on macOS the token reaches the keychain by standard input, never as an argument', async () => {
  await installTool(
    'security',
    `
echo "$@" >> "$HOME/arguments"
case "$1" in
  -i) read -r line; echo "$line" > "$HOME/command"; echo "$line" | sed 's/.* -w //' > "$HOME/kept" ;;
  find-generic-password) [ -f "$HOME/kept" ] || exit 44; cat "$HOME/kept" ;;
  delete-generic-password) [ -f "$HOME/kept" ] || exit 44; rm "$HOME/kept" ;;
esac`,
  );
  const options = storage('darwin');
  expect(await readStoredToken(options)).toBeNull();
  expect(await storeToken('some.token.here', options)).toBe('the login keychain');
  expect((await readStoredToken(options))?.token).toBe('some.token.here');
  expect(await readFile(join(home, 'command'), 'utf8')).toBe(
    'add-generic-password -U -s bindery -a bindery-token -w some.token.here\n',
  );
  expect(await readFile(join(home, 'arguments'), 'utf8')).not.toContain('some.token.here');
  expect(await clearStoredToken(options)).toEqual(['the login keychain']);
  expect(await readStoredToken(options)).toBeNull();
});

describe('the token in force', () => {
  const server = 'https://bindery.example.org';

  beforeEach(() => encryptedFile(folder).write('stored.login.token'));

  test('is BINDERY_TOKEN, before api_key, before the stored login', async () => {
    const withVariable = storage('win32', { BINDERY_TOKEN: 'bnd_variable' });
    const config = { api_key: 'bnd_key' };
    expect(await findToken(server, config, withVariable)).toMatchObject({ token: 'bnd_variable' });
    expect(await findToken(server, config, storage('win32'))).toMatchObject({ token: 'bnd_key' });
    expect(await findToken(server, {}, storage('win32'))).toMatchObject({
      token: 'stored.login.token',
      source: 'login',
    });
  });

  test('goes to no other server than the one that was signed in to', async () => {
    const config = { login_url: 'https://bindery.example.org' };
    expect(await findToken(server, config, storage('win32'))).toMatchObject({ source: 'login' });
    expect(await findToken('https://evil.example.net', config, storage('win32'))).toBeNull();
    expect(warnings).toEqual([
      'Your login is for https://bindery.example.org; https://evil.example.net is used without it.',
    ]);
  });

  test('goes to every address of this machine where it came from one of them', async () => {
    const config = { login_url: 'http://localhost:7420' };
    expect(await findToken('http://127.0.0.1:9000', config, storage('win32'))).toMatchObject({
      source: 'login',
    });
  });
});
