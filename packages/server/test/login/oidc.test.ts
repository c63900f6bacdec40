import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { OidcSettings } from '../../src/configuration/configuration.ts';
import { databases } from '../databases.ts';
import { FormUser } from '../pages/forms.ts';
import { createPerson } from '../people.ts';
import { startService, type TestService } from '../service.ts';
import type { TestProvider } from './identity-provider.ts';
import { type ProviderWorld, startProviderWorld } from './provider-world.ts';

const PASSWORD = 'correct horse battery';

describe.each(databases)('signing in through a provider, over $name', ({ open }) => {
  let world: ProviderWorld;
  let service: TestService;
  let provider: TestProvider;
  let oidc: OidcSettings;

  beforeAll(async () => {
    world = await startProviderWorld(await open());
    ({ service, provider, oidc } = world);
  });
  afterAll(() => world.close());
  afterEach(() => {
    Object.assign(oidc, { signup: true, domains: [], groups: [] });
    service.context.configuration.passwords = true;
    provider.forge = null;
  });

  const newcomer = () => world.newcomer();
  const signInAs = (person: string, browser?: FormUser, path?: string) =>
    world.signInAs(person, { browser, ...(path !== undefined && { path }) });

  const told = async () =>
    service.context.db
      .selectFrom('audit_log')
      .select(['action', 'actor', 'details'])
      .orderBy('id', 'desc')
      .limit(2)
      .execute();

  test('creates an account the first time and signs in to the same account the second time', async () => {
    const name = newcomer();
    const first = await signInAs(name, undefined, '/sign-in/oidc?next=/device?user_code=X');
    expect(first.answer).toMatchObject({ status: 303, location: '/device?user_code=X' });
    const page = await first.browser.get('/account');
    expect(page.text).toContain(`Signed in as ${name}@example.org`);
    expect((await told()).map(({ action, actor }) => ({ action, actor }))).toEqual([
      { action: 'sign-in', actor: name },
      { action: 'account.create', actor: name },
    ]);
    const second = await signInAs(name);
    expect((await second.browser.get('/account')).text).toContain(`${name}@example.org`);
    const accounts = await service.context.db
      .selectFrom('accounts')
      .select('id')
      .where('email', '=', `${name}@example.org`)
      .execute();
    expect(accounts).toHaveLength(1);
    // Recent enough to approve a device, without a script on the way.
    expect((await second.browser.get('/device')).text).toContain('Connect a device');
  });

  test('picks another user name if the preferred one is taken', async () => {
    const name = newcomer();
    await service.member(name.slice(0, 30));
    provider.people.set(name, {
      email: `${name}@other.example`,
      email_verified: true,
      preferred_username: name,
    });
    await signInAs(name);
    const account = await service.context.db
      .selectFrom('accounts')
      .select('user_name')
      .where('email', '=', `${name}@other.example`)
      .executeTakeFirstOrThrow();
    expect(account.user_name).toBe(`${name}-2`);
  });

  test('takes over no account by its e-mail address, but its owner can connect the provider', async () => {
    const name = newcomer();
    await createPerson(service.context, { userName: name, email: `${name}@example.org`, password: PASSWORD });
    const refused = await signInAs(name);
    expect(refused.answer.status).toBe(403);
    expect(refused.answer.text).toContain('There is an account with this e-mail address');
    expect((await refused.browser.get('/account')).location).toBe('/sign-in');

    const browser = new FormUser(service.url);
    await browser.signIn(`${name}@example.org`, PASSWORD);
    expect((await browser.get('/account')).text).toContain('Connect your account of Acme');
    const connected = await signInAs(name, browser, '/account/connect');
    expect(connected.answer).toMatchObject({ status: 303, location: '/account' });
    expect((await browser.get('/account')).text).not.toContain('Connect your account of Acme');
    expect((await (await signInAs(name)).browser.get('/account')).text).toContain(`${name}@example.org`);

    const other = newcomer();
    await createPerson(service.context, {
      userName: other,
      email: `${other}@example.org`,
      password: PASSWORD,
    });
    const thief = new FormUser(service.url);
    await thief.signIn(`${other}@example.org`, PASSWORD);
    expect((await signInAs(name, thief, '/account/connect')).answer.text).toContain(
      'already connected to another account',
    );
  });

  test('obeys the allowed domains, groups and sign-up setting, and requires a verified e-mail address', async () => {
    const name = newcomer();
    const answerOf = async () => (await signInAs(name)).answer;
    oidc.signup = false;
    expect((await answerOf()).text).toContain('This account of Acme is not connected to an account here');
    oidc.signup = true;
    oidc.domains = ['acme.example'];
    expect((await answerOf()).status).toBe(403);
    oidc.domains = ['example.org'];
    oidc.groups = ['humans'];
    expect((await answerOf()).text).toContain('is not allowed to sign in here');
    oidc.groups = ['humans', 'robots'];
    expect((await answerOf()).status).toBe(303);
    provider.people.set(name, { ...provider.people.get(name), groups: [] });
    expect((await answerOf()).status).toBe(403);
    expect(await told()).toMatchObject([{ action: 'sign-in.failed', actor: name }, {}]);
    Object.assign(oidc, { domains: [], groups: [] });
    const unverified = newcomer();
    provider.people.set(unverified, { email: `${unverified}@example.org`, preferred_username: unverified });
    expect((await signInAs(unverified)).answer.text).toContain('did not provide a verified e-mail address');
  });

  test('is refused for a disabled account', async () => {
    const name = newcomer();
    await signInAs(name);
    await service.context.db
      .updateTable('accounts')
      .set({ disabled_at: 1 })
      .where('email', '=', `${name}@example.org`)
      .execute();
    expect((await signInAs(name)).answer.text).toContain('disabled');
  });

  test('accepts each callback once, only from the browser that started it, and only in time', async () => {
    const name = newcomer();
    const { browser, back } = await signInAs(name);
    const path = back.slice(service.url.length);
    expect((await browser.get(path)).text).toContain('took too long, or began in another browser');
    expect((await new FormUser(service.url).get(path)).status).toBe(403);

    const slow = new FormUser(service.url);
    const away = await slow.get('/sign-in/oidc');
    const late = await provider.signIn(away.location ?? '', name);
    service.advance(601);
    expect((await slow.get(late.slice(service.url.length))).status).toBe(403);
    service.advance(-601);

    const mixed = new FormUser(service.url);
    const begun = await mixed.get('/sign-in/oidc');
    await mixed.get('/sign-in/oidc');
    const first = await provider.signIn(begun.location ?? '', name);
    expect((await mixed.get(first.slice(service.url.length))).status).toBe(403);
    expect((await mixed.get('/account')).location).toBe('/sign-in');
  });

  test.each<[string, NonNullable<TestProvider['forge']>]>([
    ['with another nonce', (claims) => ({ claims: { ...claims, nonce: 'guessed' } })],
    ['from another issuer', (claims) => ({ claims: { ...claims, iss: 'https://evil.example' } })],
    ['for another client', (claims) => ({ claims: { ...claims, aud: 'somebody-else' } })],
    ['that has expired', (claims) => ({ claims: { ...claims, exp: 1_000 } })],
    ['signed with another key', (claims) => ({ claims, isForeign: true })],
  ])('refuses an ID token %s', async (_, forge) => {
    const name = newcomer();
    provider.forge = forge;
    const { answer, browser } = await signInAs(name);
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('could not be verified');
    expect((await browser.get('/account')).location).toBe('/sign-in');
  });

  test('can start on one replica and complete on another', async () => {
    const { db } = service.context;
    const other = await startService({
      database: { db, close: async () => {} },
      configuration: { oidc, publicUrl: service.url },
    });
    try {
      const browser = new FormUser(service.url);
      const away = await browser.get('/sign-in/oidc');
      const back = await provider.signIn(away.location ?? '', newcomer());
      const path = back.slice(service.url.length);
      const answer = await fetch(other.url + path, {
        headers: { cookie: browser.cookies },
        redirect: 'manual',
      });
      expect(answer.status).toBe(303);
      const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
      const page = await fetch(`${service.url}/account`, { headers: { cookie: cookies.join('; ') } });
      expect(await page.text()).toContain('Signed in as');
    } finally {
      await other.close();
    }
  });

  test('is offered on the sign-in page next to the password, or alone if passwords are turned off', async () => {
    const browser = new FormUser(service.url);
    const both = await browser.get('/sign-in?next=/device');
    expect(both.text).toContain('href="/sign-in/oidc?next=%2Fdevice">Sign in with Acme');
    expect(both.text).toContain('name="password"');
    service.context.configuration.passwords = false;
    const alone = await browser.get('/sign-in');
    expect(alone.text).toContain('Sign in with Acme');
    expect(alone.text).not.toContain('name="password"');
    const name = newcomer();
    await createPerson(service.context, { userName: name, email: `${name}@example.org`, password: PASSWORD });
    expect((await browser.signIn(`${name}@example.org`, PASSWORD)).status).toBe(403);
    expect((await browser.get('/account')).location).toBe('/sign-in');
    const signUp = await browser.get('/sign-up');
    expect(signUp.status).toBe(403);
    expect(signUp.text).toContain('Sign in with Acme.');
  });

  test('gets 403 if the provider refuses, and 503 naming it if it is down, while the sign-in page still works', async () => {
    const browser = new FormUser(service.url);
    await browser.get('/sign-in/oidc');
    const denied = await browser.get('/sign-in/oidc/callback?error=access_denied&state=x');
    expect(denied.status).toBe(403);
    const gone = await startService({
      configuration: { oidc: { ...oidc, issuer: 'http://127.0.0.1:9' } },
    });
    try {
      const away = await new FormUser(gone.url).get('/sign-in/oidc');
      expect(away.status).toBe(503);
      expect(away.text).toContain('Acme cannot be reached right now');
      expect((await new FormUser(gone.url).get('/sign-in')).status).toBe(200);
    } finally {
      await gone.close();
    }
  });

  test('lets a whole office sign in from one address, and refuses an address that keeps failing', async () => {
    const name = newcomer();
    for (let n = 0; n < 32; n++) expect((await signInAs(name)).answer.status).toBe(303);
    const failing = new FormUser(service.url);
    const statuses = [];
    for (let n = 0; n < 61; n++) {
      statuses.push((await failing.get('/sign-in/oidc/callback?error=access_denied&state=x')).status);
    }
    expect(new Set(statuses)).toEqual(new Set([403, 429]));
  });
});
