import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setPassword } from '../../src/accounts/logins.ts';
import { deleteExpired } from '../../src/jobs/index.ts';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { createPerson } from '../people.ts';
import { startService, type TestService } from '../service.ts';
import { logIn } from './device-login.ts';

const DAY = 86_400;
const TOKENS = '/api/auth/tokens';

interface Made {
  id: string;
  token: string;
}

describe.each(databases)('token families over $name', ({ open }) => {
  let service: TestService;
  let replica: TestService;
  beforeAll(async () => {
    const database = await open();
    service = await startService({ database });
    replica = await startService({ database: { db: database.db, close: async () => {} } });
  });
  afterAll(async () => {
    await replica.close();
    await service.close();
  });

  const holder = (token: string, at = service): Actor =>
    at.anonymous.with({ authorization: `Bearer ${token}` });

  function statusAt(at: TestService, tokens: readonly string[]): Promise<number[]> {
    return Promise.all(
      tokens.map(async (token) => (await holder(token, at).get('/api/auth/profile')).status),
    );
  }

  /** Whether each token is good (200) or not (401), at both replicas alike. */
  async function statusOf(...tokens: string[]): Promise<number[]> {
    const [here, there] = await Promise.all([statusAt(service, tokens), statusAt(replica, tokens)]);
    expect(there).toEqual(here);
    return here;
  }

  /** A login, a renewed token of it, and a personal token made with the renewed one. */
  async function family(userName: string) {
    const first = await logIn(service, userName);
    const renewed = (await holder(first).post<Made>('/api/auth/renew')).body.token;
    const personal = (await holder(renewed).post<Made>(TOKENS, { name: 'ci', scope: 'write' })).body;
    return { first, renewed, personal };
  }

  test.each(['first', 'renewed'] as const)(
    'revoking the %s token of a login revokes its whole family, and no other',
    async (which) => {
      const ended = await family('ada');
      const other = await family('ada');
      expect((await holder(ended[which]).post('/api/auth/revoke')).status).toBe(204);
      expect(await statusOf(ended.first, ended.renewed, ended.personal.token)).toEqual([401, 401, 401]);
      expect(await statusOf(other.first, other.renewed, other.personal.token)).toEqual([200, 200, 200]);
    },
  );

  test('revoking a personal token revokes no other token', async () => {
    const { first, renewed, personal } = await family('ada');
    expect((await holder(personal.token).post('/api/auth/revoke')).status).toBe(204);
    expect(await statusOf(first, renewed, personal.token)).toEqual([200, 200, 401]);
  });

  test('a new password revokes the logins and personal tokens of its account, and of no other', async () => {
    const password = 'correct horse battery';
    await createPerson(service.context, { userName: 'eve', email: 'eve@example.org', password });
    const ada = await family('ada');
    const eve = await family('eve');
    await setPassword(service.context, 'eve', 'another horse battery');
    expect(await statusOf(eve.first, eve.renewed, eve.personal.token)).toEqual([401, 401, 401]);
    expect(await statusOf(ada.first, ada.renewed, ada.personal.token)).toEqual([200, 200, 200]);
  });

  test('a login can be renewed for at most 180 days after the sign-in', async () => {
    const late = await startService();
    const bearer = (token: string) => late.anonymous.with({ authorization: `Bearer ${token}` });
    let token = await logIn(late, 'ada');
    const signedIn = decodeJwt(token).iat ?? 0;
    for (let days = 0; days < 175; days += 25) {
      late.advance(25 * DAY);
      const { status, body } = await bearer(token).post<Made>('/api/auth/renew');
      expect([days, status]).toEqual([days, 200]);
      token = body.token;
    }
    expect((decodeJwt(token).exp ?? 0) - signedIn).toBeLessThanOrEqual(180 * DAY);
    late.advance(6 * DAY);
    expect((await bearer(token).post('/api/auth/renew')).status).toBe(401);
    await late.close();
  });

  test('personal tokens outlive a family that expires', async () => {
    const { first, personal } = await family('zoe');
    service.advance(181 * DAY);
    await deleteExpired(service.context);
    expect(await statusAt(service, [first, personal.token])).toEqual([401, 200]);
    const families = await service.context.db.selectFrom('token_families').select('id').execute();
    expect(families).toEqual([]);
  });

  test('creating a personal token requires a recent sign-in, and a personal token cannot do it', async () => {
    const late = await startService();
    const bearer = (token: string) => late.anonymous.with({ authorization: `Bearer ${token}` });
    const login = await logIn(late, 'ada');
    late.advance(59 * 60);
    const { status, body } = await bearer(login).post<Made>(TOKENS, { name: 'in time', scope: 'write' });
    expect(status).toBe(201);
    expect(await bearer(body.token).post(TOKENS, { name: 'more' })).toMatchObject({
      status: 403,
      body: { error: 'forbidden' },
    });
    late.advance(2 * 60);
    const renewed = (await bearer(login).post<Made>('/api/auth/renew')).body.token;
    for (const token of [login, renewed]) {
      expect(await bearer(token).post(TOKENS, { name: 'late' })).toMatchObject({
        status: 403,
        body: { error: 'recent_sign_in_required', message: expect.stringContaining('bindery login') },
      });
    }
    expect((await bearer(await logIn(late, 'ada')).post(TOKENS, { name: 'again' })).status).toBe(201);
    await late.close();
  });
});
