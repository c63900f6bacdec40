import { rm } from 'node:fs/promises';
import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ATTEMPT_LIMITS } from '../../src/limits/attempts.ts';
import { rotateSigningKey } from '../../src/login/signing-keys.ts';
import { Actor } from '../actor.ts';
import { writeEmptyDashboard } from '../empty-dashboard.ts';
import { Device, decide, logIn } from '../login/device-login.ts';
import { FormUser, formOf } from '../pages/forms.ts';
import { createPerson } from '../people.ts';
import { postgres, type Replicas, startReplicas } from './replicas.ts';

const password = 'correct horse battery';
const ALL = [0, 1, 2];

describe.skipIf(postgres === null)('accounts at three replicas', () => {
  let folder: string;
  let replicas: Replicas;
  let ada: Actor;
  let people = 0;

  beforeAll(async () => {
    folder = await writeEmptyDashboard();
    replicas = await startReplicas({ s3: null, service: () => ({ dashboardFolder: folder }) });
    ada = await replicas.member('ada');
  });
  afterAll(async () => {
    await replicas.close();
    await rm(folder, { recursive: true });
  });
  beforeEach(() => replicas.balancer.turnTo(people % 3));

  const context = () => {
    const [first] = replicas.services;
    if (!first) throw new Error('there is no replica');
    return first.context;
  };
  const statusesOf = (actor: Actor, path: string) =>
    Promise.all(ALL.map(async (at) => (await replicas.at(at, actor).get(path)).status));

  /** Somebody with a password, at the balancer. */
  async function newPerson(): Promise<{ userName: string; email: string; browser: FormUser }> {
    const userName = `person-${++people}`;
    const email = `${userName}@example.org`;
    await createPerson(context(), { userName, email, password });
    return { userName, email, browser: new FormUser(replicas.balancer.url) };
  }

  async function dashboardOf(browser: FormUser) {
    const answer = await fetch(`${replicas.balancer.url}/app/session`, {
      method: 'POST',
      headers: { cookie: browser.cookies },
    });
    const { session } = (await answer.json()) as { session: { token: string; formToken: string } | null };
    return session;
  }

  test('a browser signs in, approves a device and signs out, each request at another replica', async () => {
    const { userName, email, browser } = await newPerson();
    expect((await browser.signIn(email, password)).status).toBe(303);
    const device = new Device(replicas.anonymous);
    const { body: started } = await device.start();
    const { form_token = '' } = formOf((await browser.get('/device')).text);
    const asked = await browser.post('/device', { user_code: started.user_code, form_token });
    const form = { ...formOf(asked.text), user_code: started.user_code, decision: 'approved' };
    expect((await browser.post('/device', form)).status).toBe(303);
    const { status, body: polled } = await device.poll();
    expect(status).toBe(200);
    const { body } = await device.exchange(polled.access_token);
    const holder = new Actor(replicas.balancer.url, { authorization: `Bearer ${body.token}` });
    expect((await holder.get('/api/auth/profile')).body).toMatchObject({ user: { userName } });
    const session = await dashboardOf(browser);
    const dashboard = new Actor(replicas.balancer.url, { authorization: `Bearer ${session?.token}` });
    expect(await statusesOf(dashboard, '/api/auth/profile')).toEqual([200, 200, 200]);
    const cookies = browser.cookies;
    await browser.post('/sign-out', { form_token: session?.formToken ?? '' });
    expect(await statusesOf(dashboard, '/api/auth/profile')).toEqual([401, 401, 401]);
    const kept = await fetch(`${replicas.balancer.url}/account`, {
      headers: { cookie: cookies },
      redirect: 'manual',
    });
    expect(kept.status).toBe(303);
  });

  test('a login revoked at one replica ends at all of them, even if it was renewed at another', async () => {
    const [first, second] = replicas.services;
    if (!first || !second) throw new Error('there are no replicas');
    const token = await logIn(first, 'bob');
    const bob = new Actor(replicas.balancer.url, { authorization: `Bearer ${token}` });
    const renewed = await replicas.at(1, bob).post<{ token: string }>('/api/auth/renew');
    expect(renewed.status).toBe(200);
    const later = new Actor(replicas.balancer.url, { authorization: `Bearer ${renewed.body.token}` });
    expect(await statusesOf(later, '/namespaces')).toEqual([200, 200, 200]);
    expect((await replicas.at(2, later).post('/api/auth/revoke')).status).toBe(204);
    expect(await statusesOf(later, '/namespaces')).toEqual([401, 401, 401]);
    expect(await statusesOf(bob, '/namespaces')).toEqual([401, 401, 401]);
  });

  test('a token deleted at one replica is refused by all of them', async () => {
    const { email, browser } = await newPerson();
    await browser.signIn(email, password);
    const session = await dashboardOf(browser);
    const dashboard = new Actor(replicas.balancer.url, { authorization: `Bearer ${session?.token}` });
    const { body } = await dashboard.post<{ id: string; token: string }>('/api/auth/tokens', {
      name: 'ci',
      scope: 'read',
    });
    const ci = new Actor(replicas.balancer.url, { authorization: `Bearer ${body.token}` });
    expect(await statusesOf(ci, '/api/auth/profile')).toEqual([200, 200, 200]);
    expect((await dashboard.delete(`/api/auth/tokens/${body.id}`)).status).toBe(204);
    expect(await statusesOf(ci, '/api/auth/profile')).toEqual([401, 401, 401]);
  });

  test('a grant, a membership and public visibility begin and end at all replicas at once', async () => {
    const eve = await replicas.member('eve');
    await ada.post('/namespaces/ada/projects', { displayName: 'Lent', visibility: 'private' });
    const project = '/namespaces/ada/projects/lent';
    const seen = () => statusesOf(eve, project);
    const grant = `${project}/grants/eve`;
    expect(await seen()).toEqual([404, 404, 404]);
    await ada.put(grant, { role: 'reader' });
    expect(await seen()).toEqual([200, 200, 200]);
    expect((await ada.delete(grant)).status).toBe(204);
    expect(await seen()).toEqual([404, 404, 404]);
    await ada.patch(project, { visibility: 'public' });
    expect(await seen()).toEqual([200, 200, 200]);
    await ada.patch(project, { visibility: 'private' });
    expect(await seen()).toEqual([404, 404, 404]);
    await ada.post('/namespaces', { slug: 'lab', displayName: 'Lab' });
    await ada.put('/namespaces/lab/members/eve', { role: 'member' });
    const members = () => statusesOf(eve, '/namespaces/lab/members');
    expect(await members()).toEqual([200, 200, 200]);
    expect((await ada.delete('/namespaces/lab/members/eve')).status).toBe(204);
    expect(await members()).toEqual([404, 404, 404]);
  });

  test('wrong passwords count towards one limit for all replicas', async () => {
    const { email, browser } = await newPerson();
    const { max } = ATTEMPT_LIMITS.signInAccount;
    const answers: number[] = [];
    for (let attempt = 0; attempt < max + 3; attempt++) {
      answers.push((await browser.signIn(email, `wrong ${attempt}`)).status);
    }
    expect((await browser.signIn(email, password)).status).not.toBe(303);
    expect(answers.slice(-3)).not.toContain(303);
  });

  test('a token issued a minute after a key rotation is signed with the new key and valid at all of them', async () => {
    const [first] = replicas.services;
    if (!first) throw new Error('there is no replica');
    await logIn(first, 'carl');
    const kid = await rotateSigningKey(context());
    for (const one of replicas.services) one.advance(61);
    const token = await logIn(first, 'carl');
    expect(decodeProtectedHeader(token)).toMatchObject({ kid });
    const carl = new Actor(replicas.balancer.url, { authorization: `Bearer ${token}` });
    expect(await statusesOf(carl, '/api/auth/profile')).toEqual([200, 200, 200]);
  });

  test.each([
    [30, -30],
    [-30, 30],
  ])('device and browser logins work at all replicas with clocks %s s and %s s off', async (here, there) => {
    const [first, second] = replicas.services;
    if (!first || !second) throw new Error('there are no replicas');
    first.advance(here);
    second.advance(there);
    const device = new Device(replicas.at(0, replicas.anonymous));
    const { body: started } = await device.start();
    await decide(second, 'dora', started.user_code, 'approved');
    const { body: polled } = await device.poll();
    const { body } = await new Device(replicas.at(1, replicas.anonymous)).exchange(polled.access_token);
    const dora = new Actor(replicas.balancer.url, { authorization: `Bearer ${body.token}` });
    expect(await statusesOf(dora, '/api/auth/profile')).toEqual([200, 200, 200]);
    const { email, browser } = await newPerson();
    replicas.balancer.turnTo(0);
    expect((await browser.signIn(email, password)).status).toBe(303);
    for (let request = 0; request < 3; request++) {
      expect((await browser.get('/account')).status).toBe(200);
    }
    first.advance(-here);
    second.advance(-there);
  });

  test('device login starts from one address count towards one limit for all replicas', async () => {
    const { max } = ATTEMPT_LIMITS.deviceStart;
    const starts = await Promise.all(
      Array.from({ length: max + 9 }, () => new Device(replicas.anonymous).start()),
    );
    expect(starts.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(max);
    expect(await Promise.all(ALL.map((at) => startAt(at)))).toEqual([429, 429, 429]);

    async function startAt(at: number): Promise<number> {
      return (await new Device(replicas.at(at, replicas.anonymous)).start()).status;
    }
  });
});
