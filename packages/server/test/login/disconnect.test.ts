import { rm } from 'node:fs/promises';
import type { AdministeredUserDetail, SignInMethods } from '@bindery/contract';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { MACHINE } from '../../src/access/viewer.ts';
import { setPassword } from '../../src/accounts/logins.ts';
import { createToken } from '../../src/accounts/personal-access-tokens.ts';
import { changeUser, disconnectUser } from '../../src/administration/users.ts';
import { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { writeEmptyDashboard } from '../empty-dashboard.ts';
import { FormUser, formOf } from '../pages/forms.ts';
import { createPerson } from '../people.ts';
import { Device } from './device-login.ts';
import { type ProviderWorld, startProviderWorld } from './provider-world.ts';

const PASSWORD = 'correct horse battery';
const METHODS = '/api/auth/sign-in-methods';

describe.each(databases)('disconnecting an account from its provider, over $name', ({ open }) => {
  let folder: string;
  let world: ProviderWorld;

  beforeAll(async () => {
    folder = await writeEmptyDashboard();
    world = await startProviderWorld(await open(), { dashboardFolder: folder });
  });
  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });
  afterEach(() => {
    world.service.context.configuration.passwords = true;
  });

  const emailOf = (person: string) => `${person}@example.org`;

  async function byPassword(person: string): Promise<FormUser> {
    const browser = new FormUser(world.service.url);
    await browser.signIn(emailOf(person), PASSWORD);
    return browser;
  }

  const byProvider = async (person: string) => (await world.signInAs(person)).browser;

  /** Somebody with a password who is connected with the provider. */
  async function connected(): Promise<string> {
    const person = world.newcomer();
    const { context } = world.service;
    await createPerson(context, { userName: person, email: emailOf(person), password: PASSWORD });
    await world.signInAs(person, { browser: await byPassword(person), path: '/account/connect' });
    return person;
  }

  async function isSignedIn(browser: FormUser): Promise<boolean> {
    return (await browser.get('/account')).status === 200;
  }

  async function dashboardOf(browser: FormUser): Promise<Actor> {
    const answer = await fetch(`${world.service.url}/app/session`, {
      method: 'POST',
      headers: { cookie: browser.cookies },
    });
    const { session } = (await answer.json()) as { session: { token: string } };
    return new Actor(world.service.url, { authorization: `Bearer ${session.token}` });
  }

  /** A device that the browser approves. */
  async function device(browser: FormUser): Promise<Actor> {
    const machine = new Device(world.service.anonymous);
    const { body: started } = await machine.start('a machine');
    const page = await browser.get(`/device?user_code=${started.user_code}`);
    const shown = await browser.post('/device', formOf(page.text));
    const approved = await browser.post('/device', { ...formOf(shown.text), decision: 'approved' });
    expect(approved.location).toBe('/device/approved');
    const { body: polled } = await machine.poll();
    const { body: exchanged } = await machine.exchange(polled.access_token);
    return new Actor(world.service.url, { authorization: `Bearer ${exchanged.token}` });
  }

  async function lastLine() {
    return world.service.context.db
      .selectFrom('audit_log')
      .select(['action', 'actor', 'target', 'details'])
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow();
  }

  test('ends logins made through the provider, but none made with the password', async () => {
    const ann = await connected();
    const [provided, typed] = [await byProvider(ann), await byPassword(ann)];
    const [machine, other] = [await device(provided), await device(typed)];
    const { body: ofMachine } = await machine.post<{ token: string }>('/api/auth/tokens', { name: 'robot' });
    const robot = new Actor(world.service.url, { authorization: `Bearer ${ofMachine.token}` });
    const { token } = await createToken(world.service.context, ann, { scope: 'read' });

    expect((await typed.get('/account')).text).toContain('href="/account/disconnect"');
    const page = await typed.get('/account/disconnect');
    expect(page.text).toContain('Disconnect Acme?');
    expect((await typed.post('/account/disconnect', {})).status).toBe(403);
    expect((await typed.post('/account/disconnect', formOf(page.text))).location).toBe('/account');
    expect((await typed.get('/account')).text).toContain('Connect your account of Acme');
    expect(await lastLine()).toMatchObject({ action: 'account.change', actor: ann, target: ann });
    expect(JSON.parse((await lastLine()).details)).toEqual({ disconnected: new URL(world.oidc.issuer).host });

    expect(await isSignedIn(typed)).toBe(true);
    expect((await other.get('/api/auth/profile')).status).toBe(200);
    expect(await isSignedIn(provided)).toBe(false);
    for (const ended of [machine, robot]) expect((await ended.get('/api/auth/profile')).status).toBe(401);
    const stays = new Actor(world.service.url, { authorization: `Bearer ${token}` });
    expect((await stays.get('/api/auth/profile')).status).toBe(200);

    const { answer } = await world.signInAs(ann);
    expect(answer.text).toContain('There is an account with this e-mail address');
    expect(
      (await typed.post('/account/disconnect', formOf((await typed.get('/account/disconnect')).text))).status,
    ).toBe(404);
  });

  test('is allowed only if the account can sign in without the provider', async () => {
    const ann = world.newcomer();
    const browser = await byProvider(ann);
    const actor = await dashboardOf(browser);
    const methods = async () => (await actor.get<SignInMethods>(METHODS)).body;
    expect(await methods()).toEqual({ password: false, provider: { name: 'Acme', isConnected: true } });
    expect((await browser.get('/account')).text).not.toContain('/account/disconnect');
    expect((await actor.delete(`${METHODS}/provider`)).body).toMatchObject({ error: 'last_sign_in' });
    const form = formOf((await browser.get('/account/disconnect')).text);
    expect((await browser.post('/account/disconnect', form)).status).toBe(409);
    expect(await isSignedIn(browser)).toBe(true);

    const bob = await connected();
    const dashboard = await dashboardOf(await byPassword(bob));
    world.service.context.configuration.passwords = false;
    expect((await dashboard.get<SignInMethods>(METHODS)).body.password).toBe(false);
    expect((await dashboard.delete(`${METHODS}/provider`)).status).toBe(409);
    world.service.context.configuration.passwords = true;
    expect((await dashboard.delete(`${METHODS}/provider`)).status).toBe(204);
    expect((await dashboard.get<SignInMethods>(METHODS)).body).toEqual({
      password: true,
      provider: { name: 'Acme', isConnected: false },
    });
    expect((await dashboard.delete(`${METHODS}/provider`)).status).toBe(404);
  });

  test('requires a sign-in within the last hour, and is refused with a personal token', async () => {
    const ann = await connected();
    const machine = await device(await byPassword(ann));
    const token = await world.service.token(ann, {});
    expect((await token.get(METHODS)).status).toBe(403);
    expect((await token.delete(`${METHODS}/provider`)).status).toBe(403);
    world.service.advance(3_601);
    expect((await machine.delete(`${METHODS}/provider`)).body.error).toBe('recent_sign_in_required');
    world.service.advance(-3_601);
    expect((await machine.delete(`${METHODS}/provider`)).status).toBe(204);
  });

  test('can be done by operators, even to the last sign-in method of others, but not to their own', async () => {
    const [ann, olga] = [world.newcomer(), world.newcomer()];
    const browser = await byProvider(ann);
    const operating = await dashboardOf(await byProvider(olga));
    const path = `/admin/users/${ann}`;
    expect((await operating.delete(`${path}/provider`)).status).toBe(404);
    await changeUser(world.service.context, MACHINE, { userName: olga }, { operator: true });
    expect((await operating.get<AdministeredUserDetail>(path)).body.signsInBy).toEqual({
      password: false,
      issuers: [new URL(world.oidc.issuer).host],
    });
    expect((await operating.delete(`${path}/provider`)).status).toBe(204);
    expect(await lastLine()).toMatchObject({ action: 'account.change', actor: olga, target: ann });
    expect(await isSignedIn(browser)).toBe(false);
    expect((await operating.get<AdministeredUserDetail>(path)).body.signsInBy).toEqual({
      password: false,
      issuers: [],
    });
    expect((await operating.delete(`${path}/provider`)).status).toBe(404);
    expect((await operating.delete(`/admin/users/${olga}/provider`)).body.error).toBe('last_sign_in');
    await setPassword(world.service.context, ann, PASSWORD);
    expect(await isSignedIn(await byPassword(ann))).toBe(true);
  });

  test('can be done on the machine, and is recorded in the audit log', async () => {
    const ann = await connected();
    const provided = await byProvider(ann);
    expect(
      await disconnectUser(world.service.context, MACHINE, { userName: ann }, { passwords: true }),
    ).toEqual({
      password: true,
      issuers: [new URL(world.oidc.issuer).host],
    });
    expect(await lastLine()).toMatchObject({ action: 'account.change', actor: null, target: ann });
    expect(await isSignedIn(provided)).toBe(false);
    await expect(
      disconnectUser(world.service.context, MACHINE, { userName: ann }, { passwords: true }),
    ).rejects.toMatchObject({ code: 'not_found' });
    await expect(
      disconnectUser(world.service.context, MACHINE, { userName: 'nobody-there' }, { passwords: true }),
    ).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('refuses a sign-in through the provider that completes at the same moment', async () => {
    const ann = await connected();
    const { webSessions } = world.service.context;
    const signInAccount = webSessions.signInAccount;
    webSessions.signInAccount = async (...given) => {
      await disconnectUser(world.service.context, MACHINE, { userName: ann }, { passwords: true });
      return signInAccount(...given);
    };
    try {
      const { browser, answer } = await world.signInAs(ann);
      expect(answer.status).toBe(403);
      expect(await isSignedIn(browser)).toBe(false);
      const sessions = await world.service.context.db
        .selectFrom('sign_in_sessions')
        .innerJoin('accounts', 'accounts.id', 'sign_in_sessions.user_id')
        .select('provider_id')
        .where('user_name', '=', ann)
        .execute();
      expect(sessions).toEqual([{ provider_id: 'credential' }]);
    } finally {
      webSessions.signInAccount = signInAccount;
    }
  });
});
