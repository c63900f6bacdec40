import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { updateConfig } from '@bindery/sdk';
import { afterAll, test as base, beforeAll, describe } from 'vitest';
import { encryptedFile } from '../../sdk/src/credentials/encrypted-file.ts';
import { decide, logIn as tokenFor } from '../../server/test/login/device-login.ts';
import { startService, type TestService } from '../../server/test/service.ts';
import {
  type CommandResult,
  createTerminalUser,
  type TerminalUser,
  waitForExit,
  waitForOutput,
} from './command-line.ts';

const CODE = /[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}/;

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Ada, on a machine of her own for each test. */
const test = base.extend<{ ada: TerminalUser }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest asks for a pattern
  ada: async ({}, use) => {
    const ada = await createTerminalUser(service.url);
    await use(ada);
    await ada.dispose();
  },
});

/** Types `login` and decides about it as the person does in the browser. */
function logIn(
  person: TerminalUser,
  decision: 'approved' | 'declined' = 'approved',
  ...words: string[]
): Promise<CommandResult> {
  return logInTo(service, person, decision, ...words);
}

async function logInTo(
  server: TestService,
  person: TerminalUser,
  decision: 'approved' | 'declined',
  ...words: string[]
): Promise<CommandResult> {
  const child = person.start('login', ...words);
  const ended = waitForExit(child);
  const [code] = await waitForOutput(child.stderr, CODE);
  await decide(server, 'ada', code, decision);
  return ended;
}

const config = async (person: TerminalUser) =>
  JSON.parse(await readFile(join(person.configFolder, 'config.json'), 'utf8'));

// Each waits for its five-second question; together they wait once.
describe.concurrent('bindery login', () => {
  test('shows code and address on stderr, waits for approval, and stores the token', async ({
    ada,
    expect,
  }) => {
    const { code, stdout, stderr } = await logIn(ada, 'approved', '--no-browser');
    expect(stderr).toMatch(CODE);
    expect(stderr).toContain(`${service.url}/device?user_code=`);
    const file = join(ada.configFolder, 'tokens.encrypted');
    expect(stdout).toBe(
      `Signed in to ${service.url} as ada (namespace ada). Token stored in the encrypted file ${file}.\n`,
    );
    expect(code).toBe(0);
    const profile = await ada.run('profile', '--json');
    expect(JSON.parse(profile.stdout)).toMatchObject({ user: { userName: 'ada' }, namespace: 'ada' });
  });

  test('creates a new device secret each time and does not print it', async ({ ada, expect }) => {
    const given = ada.start('login');
    const first = waitForExit(given);
    await waitForOutput(given.stderr, CODE);
    const { device_secret: before } = await config(ada);
    given.kill('SIGINT');
    await logIn(ada);
    const { device_secret: after } = await config(ada);
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    expect(after).toMatch(/^[0-9a-f]{64}$/);
    expect(after).not.toBe(before);
    const { stdout, stderr } = await first;
    expect(stdout + stderr).not.toContain(before);
  });

  test('with --json prints one JSON document without the token, and the code on stderr', async ({
    ada,
    expect,
  }) => {
    const { stdout, stderr, code } = await logIn(ada, 'approved', '--json');
    expect(code).toBe(0);
    expect(stderr).toMatch(CODE);
    const answer = JSON.parse(stdout);
    expect(answer).toMatchObject({ user: { userName: 'ada' }, namespace: 'ada', server: service.url });
    expect(Object.keys(answer)).not.toContain('token');
  });

  test('remembers the server, so that later commands need not name it', async ({ ada, expect }) => {
    const elsewhere = ada.with({ BINDERY_API_URL: '' });
    await logIn(elsewhere, 'approved', '--dash-url', service.url);
    expect(await config(ada)).toMatchObject({ remote_url: service.url, login_url: service.url });
    expect((await elsewhere.run('profile')).code).toBe(0);
  });

  test('keeps the login for another server, which logout with its address ends', async ({ ada, expect }) => {
    const second = await startService();
    try {
      await signIn(ada);
      const there = ada.with({ BINDERY_API_URL: second.url });
      await logInTo(second, there, 'approved');
      for (const person of [ada, there]) expect((await person.run('profile')).code).toBe(0);
      const left = await ada.run('logout');
      expect(left.stdout).toContain(`Signed out of ${service.url}.`);
      expect(left.stderr).toContain(`Still signed in to ${second.url}`);
      expect((await ada.run('profile')).code).toBe(4);
      expect((await there.run('profile')).code).toBe(0);
    } finally {
      await second.close();
    }
  });

  test('exits with code 4, stores no token and says how to retry if the login is declined', async ({
    ada,
    expect,
  }) => {
    const { code, stdout, stderr } = await logIn(ada, 'declined');
    expect(code).toBe(4);
    expect(stdout).toBe('');
    expect(stderr).toContain(
      'Error: The login was declined in the browser.\nRun "bindery login" for a new code.',
    );
    expect(await readdir(ada.configFolder)).toEqual(['config.json']);
  });

  test('stops waiting on Ctrl-C, with exit code 130', async ({ ada, expect }) => {
    const child = ada.start('login');
    const ended = waitForExit(child);
    await waitForOutput(child.stderr, CODE);
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).toContain('Interrupted.');
  });

  test('exits with code 3 and says what to check if no server listens', async ({ ada, expect }) => {
    const { code, stderr } = await ada.run('login', '--api-url', 'http://127.0.0.1:1');
    expect(code).toBe(3);
    expect(stderr).toBe(
      'Error: http://127.0.0.1:1: the connection was refused.\n' +
        'Check the address (--api-url, BINDERY_API_URL) and that the server is running.\n',
    );
  });

  test('moves a damaged config.json aside and says where', async ({ ada, expect }) => {
    await signIn(ada);
    await writeFile(join(ada.configFolder, 'config.json'), '{broken');
    const { code, stderr } = await logIn(ada);
    expect(code).toBe(0);
    const aside = (await readdir(ada.configFolder)).find((name) => name.startsWith('config.json.damaged-'));
    expect(stderr).toContain(`It was renamed to ${join(ada.configFolder, aside ?? '')}`);
    expect(await readFile(join(ada.configFolder, aside ?? ''), 'utf8')).toBe('{broken');
  });
});

describe('bindery profile', () => {
  test('exits with code 4 if nobody is signed in', async ({ ada, expect }) => {
    const { code, stderr } = await ada.run('profile');
    expect(code).toBe(4);
    expect(stderr).toBe(
      `Error: You are not signed in to ${service.url}.\nSign in with "bindery login --api-url ${service.url}", or set BINDERY_TOKEN.\n`,
    );
  });

  test('with --cached reads the stored token and needs no server', async ({ ada, expect }) => {
    await signIn(ada);
    const offline = 'http://127.0.0.1:1';
    await updateConfig(ada.configFolder, { login_url: offline }, () => {});
    const { code, stdout } = await ada.run('profile', '--cached', '--json', '--api-url', offline);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ userName: 'ada', expiresAt: expect.stringMatching(/Z$/) });
  });

  test('prefers BINDERY_TOKEN to api_key, and api_key to the login', async ({ ada, expect }) => {
    await signIn(ada);
    const carol = await service.token('carol', {});
    const bob = await service.token('bob', {});
    const bearer = (actor: typeof bob) => actor.headers.authorization?.replace('Bearer ', '') ?? '';
    const path = join(ada.configFolder, 'config.json');
    await writeFile(path, JSON.stringify({ ...(await config(ada)), api_key: bearer(bob) }));
    const byKey = await ada.run('profile', '--json');
    expect(JSON.parse(byKey.stdout).user.userName).toBe('bob');
    const byVariable = await ada.with({ BINDERY_TOKEN: bearer(carol) }).run('profile', '--json');
    expect(JSON.parse(byVariable.stdout).user.userName).toBe('carol');
  });

  test('exits with code 4 if the server does not know the token, and does not print it', async ({
    ada,
    expect,
  }) => {
    const { code, stderr } = await ada.with({ BINDERY_TOKEN: 'bnd_wrong-secret' }).run('profile');
    expect(code).toBe(4);
    expect(stderr).toContain('Run "bindery login", or set another BINDERY_TOKEN.');
    expect(stderr).not.toContain('wrong-secret');
  });

  test('exits with code 4 if the token is malformed, and does not print it', async ({ ada, expect }) => {
    const { code, stderr } = await ada.with({ BINDERY_TOKEN: 'bnd_two words' }).run('profile');
    expect(code).toBe(4);
    expect(stderr).not.toContain('two words');
  });
});

describe('a login in the last third of its lifetime', () => {
  const day = 86_400;
  test('is renewed once by the next command and stored where it was', async ({ ada, expect }) => {
    service.advance(-25 * day);
    const old = await signIn(ada);
    service.advance(25 * day);
    expect(await ada.run('profile')).toMatchObject({ code: 0, stderr: '' });
    const renewed = await encryptedFile(ada.configFolder).read();
    expect(renewed).not.toBe(old);
    expect((await ada.run('profile')).code).toBe(0);
    expect(await encryptedFile(ada.configFolder).read()).toBe(renewed);
  });

  test('stays stored unchanged if the server cannot be reached to renew it', async ({ ada, expect }) => {
    service.advance(-25 * day);
    const old = await signIn(ada);
    service.advance(25 * day);
    const path = join(ada.configFolder, 'config.json');
    await writeFile(path, JSON.stringify({ remote_url: 'http://127.0.0.1:1' }));
    const { code, stderr } = await ada.with({ BINDERY_API_URL: '' }).run('namespace', 'list');
    expect(code).toBe(3);
    expect(stderr).toContain('the connection was refused');
    expect(await encryptedFile(ada.configFolder).read()).toBe(old);
  });
});

describe('bindery logout', () => {
  test('revokes the token on the server and deletes it locally', async ({ ada, expect }) => {
    const token = await signIn(ada);
    const { code, stdout } = await ada.run('logout', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ signedOut: true, revoked: true });
    expect(await config(ada)).not.toHaveProperty('device_secret');
    expect((await ada.run('profile')).code).toBe(4);
    const old = await service.anonymous.with({ authorization: `Bearer ${token}` }).get('/api/auth/profile');
    expect(old.status).toBe(401);
  });

  test('revokes tokens created with the login only with --yes, and keeps them with --keep-tokens', async ({
    ada,
    expect,
  }) => {
    const made = async () => {
      await signIn(ada);
      return (await ada.run('token', 'create', 'ci')).stdout.trim();
    };
    const statusOf = async (token: string) =>
      (await service.anonymous.with({ authorization: `Bearer ${token}` }).get('/api/auth/profile')).status;

    const ended = await made();
    const unasked = await ada.run('logout');
    expect(unasked.code).toBe(2);
    expect(unasked.stderr).toContain('revoke 1 personal access token created with this login ("ci")?');
    expect(await statusOf(ended)).toBe(200);
    expect((await ada.run('logout', '--yes')).code).toBe(0);
    expect(await statusOf(ended)).toBe(401);

    const kept = await made();
    expect((await ada.run('logout', '--keep-tokens')).code).toBe(0);
    expect(await statusOf(kept)).toBe(200);
  });

  test('deletes the local token even if the server cannot be reached', async ({ ada, expect }) => {
    await signIn(ada);
    const path = join(ada.configFolder, 'config.json');
    await writeFile(path, JSON.stringify({ ...(await config(ada)), login_url: 'http://127.0.0.1:1' }));
    const { code, stdout } = await ada.run('logout');
    expect(code).toBe(0);
    expect(stdout).toContain('The server could not be reached');
    expect((await ada.run('profile', '--cached')).code).toBe(4);
  });

  test('succeeds if nobody is signed in', async ({ ada, expect }) => {
    expect(await ada.run('logout')).toMatchObject({ code: 0, stdout: 'You were not signed in.\n' });
  });
});

/** What a login leaves behind, without the wait. */
async function signIn(person: TerminalUser): Promise<string> {
  const token = await tokenFor(service, 'ada');
  await encryptedFile(person.configFolder).write(token);
  const left = { login_url: service.url, device_secret: 'a'.repeat(64) };
  await updateConfig(person.configFolder, left, () => {});
  return token;
}
