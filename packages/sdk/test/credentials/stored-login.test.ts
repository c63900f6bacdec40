import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { encryptedFile } from '../../src/credentials/encrypted-file.ts';
import { findToken } from '../../src/credentials/find-token.ts';
import { clearStoredToken, readStoredToken, storeToken } from '../../src/credentials/stored-login.ts';
import { accountOfServer } from '../../src/credentials/token-store.ts';

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

describe('a Secret Service that does not respond', () => {
  beforeEach(() => installTool('secret-tool', 'exec sleep 60'));

  test('is given up after three seconds, and a login warns where its token is stored', async () => {
    const place = await storeToken('some.token.here', storage('linux'));
    expect(place).toContain('tokens.encrypted');
    expect(warnings).toEqual([
      `No answer from the Secret Service within three seconds. The token is kept in ${place}.`,
    ]);
    expect((await readStoredToken(storage('linux')))?.token).toBe('some.token.here');
  });

  test('gives one warning at a logout, which still clears the encrypted file', async () => {
    await encryptedFile(folder).write('some.token.here');
    expect(await clearStoredToken(storage('linux'))).toHaveLength(1);
    expect(warnings).toEqual([
      'No answer from the Secret Service within three seconds. A token may still be kept there.',
    ]);
  });
});

test('if the Secret Service refuses the token, a login stores it in the encrypted file and warns why', async () => {
  await installTool('secret-tool', 'echo "secret-tool: the keyring is locked" >&2; exit 1');
  const place = await storeToken('some.token.here', storage('linux'));
  expect(place).toContain('tokens.encrypted');
  expect(warnings[0]).toContain('the keyring is locked');
});

test('without secret-tool a login uses the encrypted file without a warning', async () => {
  const options = storage('linux', { PATH: join(home, 'bin') });
  await mkdir(join(home, 'bin'));
  expect(await storeToken('some.token.here', options)).toContain('tokens.encrypted');
  expect((await readStoredToken(options))?.token).toBe('some.token.here');
  expect(await clearStoredToken(options)).toHaveLength(1);
  expect(warnings).toEqual([]);
});

test('a keychain that refuses on a desktop, as a locked one does, is reported; without a desktop it is not', async () => {
  await installTool('secret-tool', 'echo "Cannot get secret of a locked object" >&2; exit 1');
  expect(await readStoredToken(storage('linux'))).toBeNull();
  expect(warnings).toEqual([]);
  expect(await readStoredToken(storage('linux', { DISPLAY: ':0' }))).toBeNull();
  expect(warnings).toEqual([expect.stringContaining('Cannot get secret of a locked object')]);
});

test('on Windows a login uses the encrypted file', async () => {
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

describe('the token for a server', () => {
  const server = 'https://bindery.example.org';

  beforeEach(() => encryptedFile(folder).write('stored.login.token'));

  test('is BINDERY_TOKEN, else api_key, else the stored login', async () => {
    const withVariable = storage('win32', { BINDERY_TOKEN: 'bnd_variable' });
    const config = { api_key: 'bnd_key' };
    expect(await findToken(server, config, withVariable)).toMatchObject({ token: 'bnd_variable' });
    expect(await findToken(server, config, storage('win32'))).toMatchObject({ token: 'bnd_key' });
    expect(await findToken(server, {}, storage('win32'))).toMatchObject({
      token: 'stored.login.token',
      source: 'login',
    });
  });

  test('from a login is used only for the server signed in to, with a warning for any other', async () => {
    const config = { login_url: 'https://bindery.example.org' };
    expect(await findToken(server, config, storage('win32'))).toMatchObject({ source: 'login' });
    expect(await findToken('https://evil.example.net', config, storage('win32'))).toBeNull();
    expect(warnings).toEqual([
      'Your login is for https://bindery.example.org; https://evil.example.net is used without it.',
    ]);
  });

  test('from a login at a loopback address is used for the same port of the others, not for another port', async () => {
    const config = { login_url: 'http://localhost:7420' };
    expect(await findToken('http://127.0.0.1:7420', config, storage('win32'))).toMatchObject({
      source: 'login',
    });
    expect(await findToken('http://127.0.0.1:9000', config, storage('win32'))).toBeNull();
  });

  test('of an earlier login is used for its own server and no other', async () => {
    const other = 'https://other.example.org';
    const config = { login_url: server, other_logins: [other] };
    await encryptedFile(folder, accountOfServer(other)).write('other.login.token');
    const found = await findToken(other, config, storage('win32'));
    expect(found).toMatchObject({ token: 'other.login.token', source: 'login' });
    expect(await findToken(server, config, storage('win32'))).toMatchObject({ token: 'stored.login.token' });
    expect(await findToken('https://evil.example.net', config, storage('win32'))).toBeNull();
    if (found?.source === 'login') await found.replace('renewed.login.token');
    expect(await findToken(other, config, storage('win32'))).toMatchObject({ token: 'renewed.login.token' });
    expect(await findToken(server, config, storage('win32'))).toMatchObject({ token: 'stored.login.token' });
  });
});
