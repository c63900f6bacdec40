import { rm } from 'node:fs/promises';
import type { Login } from '@bindery/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { writeEmptyDashboard } from '../empty-dashboard.ts';
import { FormUser } from '../pages/forms.ts';
import { createPerson } from '../people.ts';
import { startService, type TestService } from '../service.ts';
import { Device, decide } from './device-login.ts';

const PASSWORD = 'correct horse battery';
const NEW_PASSWORD = 'another horse battery';

describe.each(databases)('the logins of an account, over $name', ({ open }) => {
  let folder: string;
  let service: TestService;
  let userName: string;
  let browser: FormUser;
  let people = 0;

  beforeAll(async () => {
    folder = await writeEmptyDashboard();
    service = await startService({ database: await open(), dashboardFolder: folder });
  });
  afterAll(async () => {
    await service.close();
    await rm(folder, { recursive: true });
  });
  beforeEach(async () => {
    userName = `person-${++people}`;
    await createPerson(service.context, { userName, email: `${userName}@example.org`, password: PASSWORD });
    browser = await signIn(PASSWORD);
  });

  async function signIn(password: string, who = userName): Promise<FormUser> {
    const user = new FormUser(service.url);
    await user.post(
      '/sign-in',
      { email: `${who}@example.org`, password, next: '' },
      { 'user-agent': 'Firefox on a desk' },
    );
    return user;
  }

  async function actorOf({ cookies }: FormUser): Promise<Actor> {
    const answer = await fetch(`${service.url}/app/session`, {
      method: 'POST',
      headers: { cookie: cookies },
    });
    const { session } = (await answer.json()) as { session: { token: string } | null };
    return new Actor(service.url, session === null ? {} : { authorization: `Bearer ${session.token}` });
  }

  async function connectDevice(name: string): Promise<Actor> {
    const device = new Device(service.anonymous);
    const { body } = await device.start(name);
    await decide(service, userName, body.user_code, 'approved');
    const { access_token: accessToken } = (await device.poll()).body;
    const { token } = (await device.exchange(accessToken)).body;
    return new Actor(service.url, { authorization: `Bearer ${token}` });
  }

  async function loginsOf(actor: Actor): Promise<Login[]> {
    return (await actor.get<{ logins: Login[] }>('/api/auth/logins')).body.logins;
  }

  test('list browsers and devices by the names they gave, and mark the current one', async () => {
    const actor = await actorOf(browser);
    const laptop = await connectDevice('bindery on laptop');
    const shown = (logins: Login[]) =>
      logins
        .filter(({ name }) => name !== null)
        .map(({ kind, name, isThisOne }) => ({ kind, name, isThisOne }))
        .sort((a, b) => (a.kind < b.kind ? -1 : 1));
    expect(shown(await loginsOf(actor))).toEqual([
      { kind: 'browser', name: 'Firefox on a desk', isThisOne: true },
      { kind: 'device', name: 'bindery on laptop', isThisOne: false },
    ]);
    expect(shown(await loginsOf(laptop))).toMatchObject([{ isThisOne: false }, { isThisOne: true }]);
  });

  test('can be ended one at a time, and not by another account', async () => {
    const actor = await actorOf(browser);
    const laptop = await connectDevice('laptop');
    const other = await actorOf(await signIn(PASSWORD));
    const idOf = async (who: Actor) => (await loginsOf(who)).find(({ isThisOne }) => isThisOne)?.id ?? '';

    const strangerName = `${userName}-s`;
    await createPerson(service.context, {
      userName: strangerName,
      email: `${strangerName}@example.org`,
      password: PASSWORD,
    });
    const stranger = await actorOf(await signIn(PASSWORD, strangerName));
    const answer = async (id: string) => {
      const { status, body } = await stranger.delete(`/api/auth/logins/${id}`);
      return { status, error: body.error, message: body.message };
    };
    const missing = await answer('no-such-login');
    expect(missing.status).toBe(404);
    for (const id of [await idOf(other), await idOf(laptop)]) expect(await answer(id)).toEqual(missing);

    expect((await actor.delete(`/api/auth/logins/${await idOf(laptop)}`)).status).toBe(204);
    expect((await laptop.get('/api/auth/profile')).status).toBe(401);
    expect((await actor.delete(`/api/auth/logins/${await idOf(other)}`)).status).toBe(204);
    expect((await other.get('/api/auth/profile')).status).toBe(401);
    expect((await actor.get('/api/auth/profile')).status).toBe(200);
  });

  test('cannot be listed or ended, nor the password changed, with a personal token', async () => {
    const token = await service.token(userName, {});
    for (const answer of [
      await token.get('/api/auth/logins'),
      await token.delete('/api/auth/logins/x'),
      await token.put('/api/auth/password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }),
    ]) {
      expect(answer.status).toBe(403);
    }
  });

  test('all end when the password is changed, which requires the current password', async () => {
    const actor = await actorOf(browser);
    const laptop = await connectDevice('laptop');
    const token = await service.token(userName, {});
    const change = (currentPassword: string, newPassword: string) =>
      actor.put('/api/auth/password', { currentPassword, newPassword });

    expect((await change('wrong horse battery', NEW_PASSWORD)).body.error).toBe('invalid_credentials');
    expect((await change(PASSWORD, 'short')).body.parameter).toBe('newPassword');
    expect((await laptop.get('/api/auth/profile')).status).toBe(200);

    expect((await change(PASSWORD, NEW_PASSWORD)).status).toBe(204);
    for (const ended of [actor, laptop, token]) {
      expect((await ended.get('/api/auth/profile')).status).toBe(401);
    }
    expect((await (await actorOf(await signIn(PASSWORD))).get('/api/auth/profile')).status).toBe(401);
    expect((await (await actorOf(await signIn(NEW_PASSWORD))).get('/api/auth/profile')).status).toBe(200);
  });

  test('only one of two simultaneous password changes succeeds', async () => {
    const [one, two] = [await actorOf(browser), await actorOf(await signIn(PASSWORD))];
    const change = (actor: Actor, newPassword: string) =>
      actor.put('/api/auth/password', { currentPassword: PASSWORD, newPassword });
    const answers = await Promise.all([
      change(one, 'first horse battery'),
      change(two, 'second horse battery'),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401]);
  });

  test('guesses at the current password are rate limited', async () => {
    const actor = await actorOf(browser);
    const guess = () =>
      actor.put('/api/auth/password', { currentPassword: 'a guess', newPassword: NEW_PASSWORD });
    for (let at = 0; at < 10; at++) expect((await guess()).status).toBe(401);
    expect((await guess()).body.error).toBe('rate_limited');
  });
});
