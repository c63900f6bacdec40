import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setUpLink } from '../../src/accounts/sign-up.ts';
import { databases } from '../databases.ts';
import { createPerson } from '../people.ts';
import { startService, type TestService } from '../service.ts';
import { Device, decide, logIn } from './device-login.ts';

const password = 'correct horse battery';

describe.each(databases)('two replicas over one $name', ({ open }) => {
  let one: TestService;
  let other: TestService;
  beforeAll(async () => {
    const database = await open();
    one = await startService({ database });
    other = await startService({ database: { db: database.db, close: async () => {} } });
  });
  afterAll(async () => {
    await other.close();
    await one.close();
  });

  test('print the same set-up link', async () => {
    const links = await Promise.all([setUpLink(one.context), setUpLink(other.context)]);
    expect(links[0]).toBe(links[1]);
  });

  test('agree on signing keys when both create them at once', async () => {
    await createPerson(one.context, { userName: 'olga', email: 'o@example.org', password });
    const tokens = await Promise.all([logIn(one, 'ada'), logIn(other, 'bob')]);
    for (const token of tokens) {
      for (const { anonymous } of [one, other]) {
        const holder = anonymous.with({ authorization: `Bearer ${token}` });
        expect((await holder.get('/api/auth/profile')).status).toBe(200);
      }
    }
  });

  test('share a device login from start to collection, and exchange its token only once', async () => {
    const here = new Device(one.anonymous);
    const { body: started } = await here.start();
    await decide(other, 'ada', started.user_code, 'approved');
    const { body: polled } = await here.poll();
    const there = new Device(other.anonymous);
    const exchanges = await Promise.all([
      here.exchange(polled.access_token),
      there.exchange(polled.access_token),
    ]);
    expect(exchanges.map(({ status }) => status).toSorted()).toEqual([200, 401]);
  });

  test('a token revoked at one stops working at the other at once', async () => {
    const authorization = `Bearer ${await logIn(other, 'ada')}`;
    expect((await one.anonymous.with({ authorization }).get('/namespaces')).status).toBe(200);
    expect((await other.anonymous.with({ authorization }).post('/api/auth/revoke')).status).toBe(204);
    expect((await one.anonymous.with({ authorization }).get('/namespaces')).status).toBe(401);
  });

  test('a browser signed in at one is signed in at the other', async () => {
    const [cookie = ''] = (await one.context.webSessions.signIn('o@example.org', password)) ?? [];
    const { signedIn } = await other.context.webSessions.read(cookie.split(';')[0]);
    expect(signedIn).not.toBeNull();
  });
});
