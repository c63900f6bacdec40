import { rm } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { writeEmptyDashboard } from '../empty-dashboard.ts';
import type { FormUser } from '../pages/forms.ts';
import { createPerson } from '../people.ts';
import type { ProviderCookies } from './identity-provider.ts';
import { type ProviderWorld, startProviderWorld } from './provider-world.ts';

const HOUR = 3_600_000;
const PASSWORD = 'correct horse battery';
const AGAIN = '/sign-in/oidc?again=yes&next=/device';

describe.each(databases)('a recent sign-in through a provider, over $name', ({ open }) => {
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
    vi.useRealTimers();
    world.provider.forge = null;
    world.oidc.authTime = 'required';
  });

  /** Time passes for the service and for the provider. */
  const pass = (milliseconds: number) =>
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds });

  /** Whether a device may be approved and a personal token be made. */
  async function isRecent(browser: FormUser): Promise<boolean> {
    const device = await browser.get('/device');
    const answer = await fetch(`${world.service.url}/app/session`, {
      method: 'POST',
      headers: { cookie: browser.cookies },
    });
    const { session } = (await answer.json()) as { session: { token: string } };
    const actor = new Actor(world.service.url, { authorization: `Bearer ${session.token}` });
    const made = await actor.post('/api/auth/tokens', { name: 'robot' });
    if (device.status === 200) expect(made.status).toBe(201);
    else {
      expect(device.location).toContain('/sign-in?');
      expect(made.body.error).toBe('recent_sign_in_required');
    }
    return device.status === 200;
  }

  const withoutTime = (claims: Record<string, unknown>) => {
    const { auth_time: _, ...others } = claims;
    return { claims: others };
  };

  test('requires authenticating at the provider again: its old session is not enough', async () => {
    const { provider, signInAs } = world;
    const ann = world.newcomer();
    const cookies: ProviderCookies = new Map();
    const asked = provider.asked;
    expect(await isRecent((await signInAs(ann, { cookies })).browser)).toBe(true);
    expect(provider.asked).toBe(asked + 1);

    pass(HOUR + 1_000);
    const { browser, answer } = await signInAs(ann, { cookies });
    expect(answer.status).toBe(303);
    expect((await browser.get('/account')).text).toContain(`${ann}@example.org`);
    expect(provider.asked, 'the provider lets the browser in as it is').toBe(asked + 1);
    expect(await isRecent(browser)).toBe(false);

    const page = await browser.get((await browser.get('/device')).location ?? '');
    expect(page.text).toContain('/sign-in/oidc?next=%2Fdevice&amp;again=yes');
    const away = new URL((await browser.get(AGAIN)).location ?? '');
    expect(Object.fromEntries(away.searchParams)).toMatchObject({ prompt: 'login', max_age: '3600' });
    const again = await signInAs(ann, { browser, cookies, path: AGAIN });
    expect(again.answer.location).toBe('/device');
    expect(provider.asked).toBe(asked + 2);
    expect(await isRecent(browser)).toBe(true);
  });

  test('counts from now if the provider reports an authentication time in the future', async () => {
    const ann = world.newcomer();
    world.provider.forge = (claims) => ({ claims: { ...claims, auth_time: Date.now() / 1_000 + 86_400 } });
    const { browser } = await world.signInAs(ann);
    expect(await isRecent(browser)).toBe(true);
    pass(HOUR + 1_000);
    expect(await isRecent(browser)).toBe(false);
  });

  test('is refused if the provider reports an old authentication when asked for a new one', async () => {
    const ann = world.newcomer();
    world.provider.forge = (claims) => ({ claims: { ...claims, auth_time: Date.now() / 1_000 - 3_700 } });
    const { browser, answer } = await world.signInAs(ann, { path: AGAIN });
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('Acme did not ask you to authenticate again');
    expect((await browser.get('/account')).location).toBe('/sign-in?next=%2Faccount');
  });

  test('is refused if the provider reports no authentication time, unless the operator makes it optional', async () => {
    const ann = world.newcomer();
    world.provider.forge = withoutTime;
    const { browser } = await world.signInAs(ann);
    expect((await browser.get('/account')).text).toContain(`${ann}@example.org`);
    expect(await isRecent(browser)).toBe(false);
    const refused = await world.signInAs(ann, { browser, path: AGAIN });
    expect(refused.answer.status).toBe(403);
    expect(refused.answer.text).toContain('Acme does not report when you last authenticated');

    world.oidc.authTime = 'optional';
    expect(await isRecent((await world.signInAs(ann)).browser)).toBe(false);
    expect((await world.signInAs(ann, { browser, path: AGAIN })).answer.location).toBe('/device');
    expect(await isRecent(browser)).toBe(true);
  });

  test('is required to connect an account, and an old authentication is refused', async () => {
    const ann = world.newcomer();
    await createPerson(world.service.context, {
      userName: ann,
      email: `${ann}@example.org`,
      password: PASSWORD,
    });
    const { browser } = await world.signInAs(world.newcomer());
    await browser.signIn(`${ann}@example.org`, PASSWORD);
    world.provider.forge = (claims) => ({ claims: { ...claims, auth_time: 1_000 } });
    const { answer } = await world.signInAs(world.newcomer(), { browser, path: '/account/connect' });
    expect(answer.text).toContain('Acme did not ask you to authenticate again');
    expect((await browser.get('/account')).text).toContain('Connect your account of Acme');
  });
});
