import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { writeEmptyDashboard } from '../empty-dashboard.ts';
import { FormUser } from '../pages/forms.ts';
import { createPerson } from '../people.ts';
import { startService, type TestService } from '../service.ts';

const password = 'correct horse battery';

interface Session {
  token: string;
  expiresIn: number;
  user: { userName: string };
  formToken: string;
}

describe.each(databases)('the dashboard of a signed-in browser over $name', ({ open }) => {
  let folder: string;
  let service: TestService;
  let ada: FormUser;

  beforeAll(async () => {
    folder = await writeEmptyDashboard();
    service = await startService({ database: await open(), dashboardFolder: folder });
    await createPerson(service.context, { userName: 'ada', email: 'ada@example.org', password });
  });
  afterAll(async () => {
    await service.close();
    await rm(folder, { recursive: true });
  });
  beforeEach(async () => {
    ada = new FormUser(service.url);
    await ada.signIn('ada@example.org', password);
  });

  async function ask(who: FormUser, headers: Record<string, string> = {}) {
    const answer = await fetch(`${service.url}/app/session`, {
      method: 'POST',
      headers: { cookie: who.cookies, ...headers },
    });
    return { status: answer.status, body: (await answer.json()) as { session: Session | null } };
  }

  async function actorOf(who: FormUser): Promise<Actor> {
    const { body } = await ask(who);
    return new Actor(service.url, { authorization: `Bearer ${body.session?.token}` });
  }

  test('gets a token that is valid for the API for ten minutes', async () => {
    const { body } = await ask(ada);
    expect(body.session?.user.userName).toBe('ada');
    expect(body.session?.expiresIn).toBeGreaterThan(590);
    expect(body.session?.expiresIn).toBeLessThanOrEqual(600);
    const dashboard = await actorOf(ada);
    expect((await dashboard.get('/api/auth/profile')).status).toBe(200);
    service.advance(10 * 60);
    expect((await dashboard.get('/api/auth/profile')).status).toBe(401);
  });

  test('a browser that is not signed in gets no session', async () => {
    expect(await ask(new FormUser(service.url))).toEqual({ status: 200, body: { session: null } });
  });

  test.each(['cross-site', 'same-site'])('a %s page cannot get a token', async (site) => {
    expect((await ask(ada, { 'sec-fetch-site': site })).status).toBe(403);
  });

  test('its session cookie alone does not authenticate API requests', async () => {
    const answer = await fetch(`${service.url}/api/auth/profile`, { headers: { cookie: ada.cookies } });
    expect(answer.status).toBe(401);
  });

  test('its tokens stop working at once when the browser signs out', async () => {
    const { body } = await ask(ada);
    const dashboard = await actorOf(ada);
    await ada.post('/sign-out', { form_token: body.session?.formToken ?? '' });
    expect((await dashboard.get('/api/auth/profile')).status).toBe(401);
  });

  test('revoking its token signs the browser out', async () => {
    const dashboard = await actorOf(ada);
    expect((await dashboard.post('/api/auth/revoke', {})).status).toBe(204);
    expect((await ask(ada)).body.session).toBeNull();
  });

  test('cannot renew its token into a device token', async () => {
    expect((await (await actorOf(ada)).post('/api/auth/renew', {})).status).toBe(403);
  });

  test('personal tokens created in it stay valid after sign-out', async () => {
    const { body } = await ask(ada);
    const dashboard = await actorOf(ada);
    const made = await dashboard.post('/api/auth/tokens', { name: 'robot lab', scope: 'read' });
    expect(made.status).toBe(201);
    await ada.post('/sign-out', { form_token: body.session?.formToken ?? '' });
    const { token } = made.body as { token: string };
    const lab = new Actor(service.url, { authorization: `Bearer ${token}` });
    expect((await lab.get('/api/auth/profile')).status).toBe(200);
  });

  test('cannot create personal tokens more than an hour after the sign-in', async () => {
    service.advance(61 * 60);
    const late = await (await actorOf(ada)).post('/api/auth/tokens', { name: 'late', scope: 'read' });
    expect(late).toMatchObject({ status: 403, body: { error: 'recent_sign_in_required' } });
  });

  test('a disabled account gets no token, and its existing tokens stop working', async () => {
    await createPerson(service.context, { userName: 'eve', email: 'eve@example.org', password });
    const eve = new FormUser(service.url);
    await eve.signIn('eve@example.org', password);
    const dashboard = await actorOf(eve);
    await service.context.db
      .updateTable('accounts')
      .set({ disabled_at: service.context.clock() })
      .where('user_name', '=', 'eve')
      .execute();
    expect((await dashboard.get('/api/auth/profile')).status).toBe(401);
    expect((await ask(eve)).body.session).toBeNull();
  });
});
