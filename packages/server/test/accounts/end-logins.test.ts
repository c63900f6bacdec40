import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rounds } from '../../../../test/faults.ts';
import { MACHINE } from '../../src/access/viewer.ts';
import { endLogins, listLogins, setPassword } from '../../src/accounts/logins.ts';
import { createToken } from '../../src/accounts/personal-access-tokens.ts';
import { changeUser } from '../../src/administration/users.ts';
import { actorOf } from '../../src/audit/audit-log.ts';
import { decideDeviceLogin } from '../../src/login/device/decide.ts';
import { signIn } from '../../src/login/sign-in.ts';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { Device, decide, logIn } from '../login/device-login.ts';
import { createPerson } from '../people.ts';
import { startService, type TestService } from '../service.ts';

const password = 'correct horse battery';
const TOKENS = '/api/auth/tokens';

describe.each(databases)('cutting off an account over $name', ({ open }) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ database: await open() });
  });
  afterAll(() => service.close());

  const holder = (token: string): Actor => service.anonymous.with({ authorization: `Bearer ${token}` });
  const statusOf = async (token: string): Promise<number> =>
    (await holder(token).get('/api/auth/profile')).status;
  const enter = (userName: string, given = password) =>
    signIn(service.context, {
      email: `${userName}@example.org`,
      password: given,
      caller: '127.0.0.1',
      cookieHeader: undefined,
      request: { address: '127.0.0.1', userAgent: null },
    });

  /** An account with a signed-in browser, a device, and personal tokens of its own and of the operator's making. */
  async function person(userName: string) {
    await createPerson(service.context, { userName, email: `${userName}@example.org`, password });
    const [cookie = ''] = await enter(userName);
    const login = await logIn(service, userName);
    const own = await holder(login).post<{ token: string }>(TOKENS, { name: 'own' });
    const given = await createToken(service.context, userName, { name: 'for the build' });
    return { cookie: cookie.split(';')[0], tokens: [login, own.body.token, given.token] };
  }

  async function isSignedIn(cookie: string | undefined): Promise<boolean> {
    const account = await service.anonymous.with({ cookie: cookie ?? '' }).get('/account');
    return account.status === 200;
  }

  test('ending all logins revokes the browser sessions, devices and personal tokens that it lists', async () => {
    const { cookie, tokens } = await person('ada');
    expect(await isSignedIn(cookie)).toBe(true);
    const listed = await listLogins(service.context, 'ada');
    expect(listed.devices).toBe(1);
    const names = listed.personalTokens.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['for the build', 'own']));
    expect(await endLogins(service.context, 'ada')).toEqual(listed);
    for (const token of tokens) expect(await statusOf(token)).toBe(401);
    expect(await isSignedIn(cookie)).toBe(false);
    expect(await listLogins(service.context, 'ada')).toEqual({ sessions: 0, devices: 0, personalTokens: [] });
    expect(await statusOf(await logIn(service, 'ada'))).toBe(200);
    await expect(endLogins(service.context, 'nobody')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('ending all logins includes approved device logins that are not collected or exchanged yet', async () => {
    await service.member('bea');
    const [waiting, collected] = [new Device(service.anonymous), new Device(service.anonymous)];
    for (const device of [waiting, collected]) {
      const { body } = await device.start();
      await decide(service, 'bea', body.user_code, 'approved');
    }
    const { body } = await collected.poll();
    await endLogins(service.context, 'bea');
    expect((await waiting.poll()).body.error).toBe('expired_token');
    expect((await collected.exchange(body.access_token)).status).toBe(401);
  });

  test('a renewal, new token or device approval at the same moment does not survive', async () => {
    for (let round = 0; round < rounds({ short: 2, long: 20 }); round++) {
      const name = `race-${round}`;
      const { tokens } = await person(name);
      const [login = ''] = tokens;
      const device = new Device(service.anonymous);
      const { body: started } = await device.start();
      const browser = await browserOf(name);
      const [, entered] = await Promise.allSettled([
        endLogins(service.context, name),
        enter(name),
        holder(login).post(TOKENS, { name: 'late' }),
        holder(login).post('/api/auth/renew'),
        approve(browser, started.user_code),
      ]);
      const left = await listLogins(service.context, name);
      expect(left).toMatchObject({ devices: 0, personalTokens: [] });
      if (entered?.status === 'rejected') expect(left.sessions).toBe(0);
      for (const token of tokens) expect(await statusOf(token)).toBe(401);
    }
  });

  /** The browser that the account is signed in with. */
  const browserOf = (userName: string): Promise<{ id: string; token: string }> =>
    service.context.db
      .selectFrom('accounts')
      .innerJoin('sign_in_sessions', 'user_id', 'accounts.id')
      .select(['accounts.id', 'sign_in_sessions.token'])
      .where('user_name', '=', userName)
      .executeTakeFirstOrThrow();

  const approve = (browser: { id: string; token: string }, userCode: string): Promise<void> =>
    decideDeviceLogin(
      service.context,
      { accountId: browser.id, session: browser.token, caller: '127.0.0.1', actor: actorOf(MACHINE) },
      userCode,
      'approved',
    );

  test('a sign-in with the old password fails if the password changes before it completes', async () => {
    await person('cleo');
    const { webSessions } = service.context;
    const context = {
      ...service.context,
      webSessions: {
        ...webSessions,
        signIn: async (email: string, given: string) => {
          const cookies = await webSessions.signIn(email, given);
          await setPassword(service.context, 'cleo', 'another horse battery');
          return cookies;
        },
      },
    };
    const request = { address: '127.0.0.1', userAgent: null };
    const origin = { caller: '127.0.0.1', cookieHeader: undefined, request };
    const late = signIn(context, { email: 'cleo@example.org', password, ...origin });
    await expect(late).rejects.toMatchObject({ code: 'invalid_credentials' });
    expect((await listLogins(service.context, 'cleo')).sessions).toBe(0);
  });

  test('disabling blocks tokens, sessions and sign-in; enabling restores tokens, sessions and data', async () => {
    const { cookie, tokens } = await person('dora');
    const team = await holder(tokens[0] ?? '').post('/namespaces', { slug: 'dora-lab' });
    expect(team.status).toBe(201);
    await changeUser(service.context, MACHINE, { userName: 'dora' }, { disabled: true });
    for (const token of tokens) expect(await statusOf(token)).toBe(401);
    expect(await isSignedIn(cookie)).toBe(false);
    await expect(enter('dora')).rejects.toMatchObject({ code: 'forbidden' });
    await expect(enter('dora', 'wrong')).rejects.toMatchObject({ code: 'invalid_credentials' });
    await expect(createToken(service.context, 'dora')).rejects.toMatchObject({ code: 'forbidden' });

    await changeUser(service.context, MACHINE, { userName: 'dora' }, { disabled: false });
    for (const token of tokens) expect(await statusOf(token)).toBe(200);
    expect((await holder(tokens[0] ?? '').get('/namespaces/dora-lab')).status).toBe(200);
    expect(await isSignedIn(cookie)).toBe(true);
  });

  test('a device login of a disabled account can be neither collected nor approved', async () => {
    await service.member('eva');
    const device = new Device(service.anonymous);
    const { body } = await device.start();
    await decide(service, 'eva', body.user_code, 'approved');
    await changeUser(service.context, MACHINE, { userName: 'eva' }, { disabled: true });
    expect((await device.poll()).body.error).toBe('expired_token');
    const other = new Device(service.anonymous);
    const { body: started } = await other.start();
    await expect(decide(service, 'eva', started.user_code, 'approved')).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });
});
