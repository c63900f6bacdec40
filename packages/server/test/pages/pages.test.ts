import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createInvitation, setUpLink } from '../../src/accounts/sign-up.ts';
import { Device } from '../login/device-login.ts';
import { createPerson } from '../people.ts';
import { startService, type TestService } from '../service.ts';
import { FormUser, formOf } from './forms.ts';

const password = 'correct horse battery';

describe('pages', () => {
  let service: TestService;
  let user: FormUser;
  beforeAll(async () => {
    service = await startService();
    await createPerson(service.context, { userName: 'ada', email: 'ada@example.org', password });
  });
  afterAll(() => service.close());
  beforeEach(() => {
    user = new FormUser(service.url);
  });

  const paths = ['/sign-in', '/setup?token=x', '/sign-up', '/device', '/account'];

  test.each(paths)(
    '%s has a strict content security policy, and cannot be cached or framed',
    async (path) => {
      await user.signIn('ada@example.org', password);
      const { headers } = await (path === '/sign-in' ? new FormUser(service.url) : user).get(path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("form-action 'self'");
      expect(policy).not.toMatch(/unsafe|https?:|\*|data:/);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('strict-origin');
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    },
  );

  test('contain no scripts and no inline styles', async () => {
    await user.signIn('ada@example.org', password);
    for (const path of [...paths, '/device/approved']) {
      const { text } = await user.get(path);
      expect(text).not.toMatch(/<script|<style|\sstyle=|\son\w+=|javascript:/i);
    }
  });

  test('the stylesheet is served as CSS with an immutable cache policy', async () => {
    const { text } = await user.get('/sign-in');
    const path = /href="([^"]+\.css)"/.exec(text)?.[1] ?? '';
    const { status, headers } = await user.get(path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(headers.get('cache-control')).toContain('immutable');
  });

  test('the session and device cookies are HttpOnly and SameSite=Lax', async () => {
    const { headers, status, location } = await user.signIn('ada@example.org', password);
    expect([status, location]).toEqual([303, '/account']);
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^bindery\.session_token=[^;]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/,
      ),
      expect.stringMatching(/^bindery\.device=[^;]+; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
  });

  test('with an https public URL, the session cookie is Secure and HSTS is sent', async () => {
    const secure = await startService({ configuration: { publicUrl: 'https://assets.example.org' } });
    await createPerson(secure.context, { userName: 'ada', email: 'ada@example.org', password });
    const { headers } = await new FormUser(secure.url).signIn('ada@example.org', password);
    expect(headers.getSetCookie()[0]).toMatch(/^__Secure-bindery\.session_token=.*; Secure/);
    expect(headers.get('strict-transport-security')).toMatch(/max-age=\d{7,}/);
    await secure.close();
  });

  test('the session cookie gives access to pages, but not to the API', async () => {
    await user.signIn('ada@example.org', password);
    expect((await user.get('/account')).status).toBe(200);
    expect((await user.get('/namespaces')).status).toBe(401);
  });

  test.each([
    ['/device?user_code=BCDF-GHJK', '/device?user_code=BCDF-GHJK'],
    ['https://evil.example/device', '/account'],
    ['//evil.example/device', '/account'],
    ['/device/../../evil', '/account'],
    ['/\\evil.example', '/account'],
    ['/device\\@evil.example', '/account'],
    ['javascript:alert(1)', '/account'],
    ['/api/auth/profile', '/account'],
    ['', '/account'],
  ])('after signing in, next=%j leads to %s', async (next, place) => {
    expect((await user.signIn('ada@example.org', password, next)).location).toBe(place);
    expect((await user.get(`/sign-in?next=${encodeURIComponent(next)}`)).location).toBe(place);
  });

  test('a person who is not signed in is sent to a sign-in form that leads back to the requested page', async () => {
    const { status, location } = await user.get('/device?user_code=BCDF-GHJK');
    expect([status, location]).toEqual([303, '/sign-in?next=%2Fdevice%3Fuser_code%3DBCDF-GHJK']);
    const { text } = await user.get(location ?? '');
    expect(formOf(text).next).toBe('/device?user_code=BCDF-GHJK');
  });

  test('a wrong password and an unknown e-mail address get the same response', async () => {
    const wrong = await user.signIn('ada@example.org', 'not the password');
    const unknown = await user.signIn('nobody@example.org', 'not the password');
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(unknown.text.replace('nobody@', 'ada@')).toBe(wrong.text);
    expect(wrong.text).not.toContain('not the password');
  });

  test('after ten wrong passwords for an account, even the right one is refused for a while', async () => {
    const guarded = await startService();
    await createPerson(guarded.context, { userName: 'ada', email: 'ada@example.org', password });
    const guesser = new FormUser(guarded.url);
    for (let guess = 0; guess < 10; guess++) {
      expect((await guesser.signIn('ada@example.org', `guess ${guess}`)).status).toBe(401);
    }
    const refused = await guesser.signIn('ADA@example.org ', password);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    guarded.advance(901);
    expect((await guesser.signIn('ada@example.org', password)).status).toBe(303);
    await guarded.close();
  });

  test('forms sent from other sites are refused', async () => {
    const form = { email: 'ada@example.org', password };
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: service.url },
    ];
    for (const headers of foreign) {
      expect((await user.post('/sign-in', form, headers)).status).toBe(403);
    }
    expect((await user.post('/sign-in', form, { origin: service.url })).status).toBe(303);
  });

  test('a decision about a device without the token of its form is refused and changes nothing', async () => {
    await user.signIn('ada@example.org', password);
    const device = new Device(service.anonymous);
    const { body } = await device.start();
    for (const form_token of ['', 'guessed', formOf((await otherPage()).text).form_token ?? '']) {
      const form = { user_code: body.user_code, decision: 'approved', form_token };
      expect((await user.post('/device', form)).status).toBe(403);
    }
    expect((await device.poll()).status).toBe(202);

    async function otherPage() {
      const other = new FormUser(service.url);
      await other.signIn('ada@example.org', password);
      return other.get('/device');
    }
  });

  test.each([
    { decision: 'approved', polled: 200 },
    { decision: 'declined', polled: 403 },
  ])('a form that is sent twice, as by a double click, ends as if sent once: $decision', async (sent) => {
    await user.signIn('ada@example.org', password);
    const device = new Device(service.anonymous);
    const { body } = await device.start();
    const { form_token = '' } = formOf((await user.get('/device')).text);
    const form = { user_code: body.user_code, decision: sent.decision, form_token };
    const answers = await Promise.all([user.post('/device', form), user.post('/device', form)]);
    answers.push(await user.post('/device', form));
    expect(answers.map(({ location }) => location)).toEqual(Array(3).fill(`/device/${sent.decision}`));
    expect((await device.poll()).status).toBe(sent.polled);
    const other = { ...form, decision: sent.decision === 'approved' ? 'declined' : 'approved' };
    expect((await user.post('/device', other)).status).toBe(404);
  });

  test('a link cannot approve a device, but only fills in its code', async () => {
    await user.signIn('ada@example.org', password);
    const device = new Device(service.anonymous);
    const { body } = await device.start();
    const { text } = await user.get(`/device?user_code=${body.user_code}&decision=approved`);
    expect(formOf(text).user_code).toBe(body.user_code);
    expect((await device.poll()).status).toBe(202);
  });

  test('the device page asks for the password again if it was given more than an hour ago', async () => {
    const late = await startService();
    await createPerson(late.context, { userName: 'ada', email: 'ada@example.org', password });
    const visitor = new FormUser(late.url);
    await visitor.signIn('ada@example.org', password);
    expect((await visitor.get('/device?user_code=BCDF-GHJK')).status).toBe(200);
    late.advance(3_601);
    const { status, location } = await visitor.get('/device?user_code=BCDF-GHJK');
    expect([status, location]).toEqual([
      303,
      `/sign-in?again=yes&next=${encodeURIComponent('/device?user_code=BCDF-GHJK')}`,
    ]);
    const { text } = await visitor.get(location ?? '');
    expect(formOf(text)).toMatchObject({ email: 'ada@example.org', next: '/device?user_code=BCDF-GHJK' });
    expect((await visitor.post('/device', { decision: 'approved' })).status).not.toBe(200);
    expect((await visitor.get('/account')).status).toBe(200);
    await late.close();
  });

  test('the name that a client gives itself is escaped as text', async () => {
    await user.signIn('ada@example.org', password);
    const { body } = await new Device(service.anonymous).start('<img src=x>\u202e"evil"');
    const { form_token = '' } = formOf((await user.get('/device')).text);
    const { text } = await user.post('/device', { user_code: body.user_code, form_token });
    expect(text).toContain('<dd>&lt;img src=x&gt; &quot;evil&quot;</dd>');
  });

  test('signing out ends the session itself, not just the cookie', async () => {
    await user.signIn('ada@example.org', password);
    const kept = user.cookies;
    const { form_token = '' } = formOf((await user.get('/device')).text);
    expect((await user.post('/sign-out', { form_token })).location).toBe('/sign-in');
    const { status } = await fetch(`${service.url}/account`, {
      headers: { cookie: kept },
      redirect: 'manual',
    });
    expect(status).toBe(303);
  });

  test('pages accept forms but not JSON, and the API accepts JSON but not forms', async () => {
    const json = await service.anonymous.post('/sign-in', { email: 'ada@example.org', password });
    expect(json.status).toBe(415);
    expect((await user.post('/api/device/start', { device_secret_hash: 'a'.repeat(64) })).status).toBe(415);
  });

  test('the set-up page creates the first account, signs it in, and is then closed', async () => {
    const fresh = await startService();
    const first = new FormUser(fresh.url);
    const link = (await setUpLink(fresh.context)) ?? '';
    expect((await first.get('/setup?token=guessed')).status).toBe(403);
    const form = { ...formOf((await first.get(link)).text), userName: 'op', email: 'op@example.org' };
    const refused = await first.post('/setup', { ...form, password: 'short' });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('A password has 8 to 200 characters.');
    expect((await first.post('/setup', { ...form, password })).location).toBe('/account');
    expect((await first.get('/account')).text).toMatch(
      /In a terminal, now run <code>bindery login --api-url http:[^<]+<\/code>/,
    );
    expect((await first.get('/account')).text).toContain('op@example.org');
    expect((await first.get(link)).status).toBe(403);
    expect((await first.post('/setup', { ...form, userName: 'two', password })).status).toBe(403);
    await fresh.close();
  });

  test('signing up is refused unless configured, and an invitation works only once', async () => {
    expect((await user.get('/sign-up')).status).toBe(403);
    const inviting = await startService({ configuration: { signup: 'invite' } });
    const guest = new FormUser(inviting.url);
    const { link } = await createInvitation(inviting.context);
    expect((await guest.get('/sign-up?invitation=guessed')).status).toBe(403);
    const form = { ...formOf((await guest.get(link)).text), email: 'guest@example.org', password };
    expect((await guest.post('/sign-up', { ...form, userName: 'guest' })).location).toBe('/account');
    expect((await guest.get(link)).status).toBe(403);
    await inviting.close();
  });

  test('a service of role api serves no pages, and one of role auth no namespaces', async () => {
    const api = await startService({ configuration: { role: 'api' } });
    expect((await api.anonymous.get('/sign-in')).status).toBe(404);
    expect((await api.anonymous.get('/namespaces')).status).toBe(401);
    await api.close();
    const auth = await startService({ configuration: { role: 'auth' } });
    expect((await auth.anonymous.get('/sign-in')).status).toBe(200);
    expect((await auth.anonymous.get('/namespaces')).status).toBe(404);
    await auth.close();
  });
});
