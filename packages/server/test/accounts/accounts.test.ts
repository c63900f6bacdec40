import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createUser } from '../../src/accounts/accounts.ts';
import { setPassword } from '../../src/accounts/logins.ts';
import { createToken } from '../../src/accounts/personal-access-tokens.ts';
import {
  createInvitation,
  isSetUpToken,
  maySignUp,
  setUp,
  setUpLink,
  signUp,
} from '../../src/accounts/sign-up.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';

// What a hash costs is held by `password.test.ts`; here some thirty are made.
vi.mock('../../src/accounts/password-cost.ts', () => ({ PASSWORD_COST: { N: 2 ** 10, r: 8, p: 1 } }));

const password = 'correct horse battery';
const person = (userName: string) => ({ userName, email: `${userName}@example.org`, password });

describe.each(databases)('accounts over $name', ({ open }) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ database: await open(), configuration: { signup: 'invite' } });
  });
  afterAll(() => service.close());

  test('the set-up link creates the first account, and only one, even if used several times at once', async () => {
    const { context } = service;
    const link = (await setUpLink(context)) ?? '';
    expect(link).toMatch(/^\/setup\?token=[\w-]{43}$/);
    expect(await setUpLink(context)).toBe(link);
    const token = new URLSearchParams(link.split('?')[1]).get('token') ?? '';
    await expect(setUp(context, 'guessed', person('mallory'))).rejects.toMatchObject({ code: 'forbidden' });

    const tries = ['ada', 'bea', 'cleo', 'dora'].map((name) => setUp(context, token, person(name)));
    const outcomes = await Promise.allSettled(tries);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const accounts = await context.db.selectFrom('accounts').select('user_name').execute();
    expect(accounts).toHaveLength(1);
    expect(await isSetUpToken(context, token)).toBe(false);
    expect(await setUpLink(context)).toBeNull();
  });

  test('an operator creates users who can sign in, and tokens for them', async () => {
    await createUser(service.context, person('olga'));
    expect(await service.context.webSessions.signIn('olga@example.org', password)).not.toBeNull();
    const made = await createToken(service.context, 'olga', { scope: 'read', expiresInDays: 1 });
    const olga = service.anonymous.with({ authorization: `Bearer ${made.token}` });
    expect((await olga.get('/api/auth/profile')).body).toMatchObject({
      user: { userName: 'olga' },
      token: { kind: 'personal', scope: 'read', expiresAt: made.expiresAt },
    });
    await expect(createToken(service.context, 'nobody')).rejects.toMatchObject({ code: 'not_found' });
    await expect(createToken(service.context, 'olga', { expiresInDays: 0 })).rejects.toMatchObject({
      details: { parameter: 'expires' },
    });
  });

  test.each([
    [{ userName: 'Ada' }, 'userName'],
    [{ userName: '' }, 'userName'],
    [{ email: 'not an address' }, 'email'],
    [{ password: 'seven c' }, 'password'],
    [{ password: 'x'.repeat(201) }, 'password'],
  ])('a user with %j is rejected and not created', async (change, parameter) => {
    const user = { ...person('refused'), ...change };
    await expect(createUser(service.context, user)).rejects.toMatchObject({
      code: 'invalid_parameter',
      details: { parameter },
    });
    await expect(createToken(service.context, 'refused')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a password of eight characters is long enough', async () => {
    await createUser(service.context, { ...person('lena'), password: 'eight ch' });
    expect(await service.context.webSessions.signIn('lena@example.org', 'eight ch')).not.toBeNull();
  });

  test('the error about a rejected password does not repeat the password', async () => {
    const user = { ...person('refused'), password: 'hunter2' };
    await expect(createUser(service.context, user)).rejects.not.toThrow('hunter2');
  });

  test('a user name or e-mail address in use is rejected, leaving no namespace behind', async () => {
    await createUser(service.context, person('taken'));
    for (const change of [
      { email: 'other@example.org' },
      { userName: 'other', email: 'TAKEN@example.org' },
    ]) {
      const user = { ...person('taken'), ...change };
      await expect(createUser(service.context, user)).rejects.toMatchObject({ code: 'slug_taken' });
    }
    expect((await service.anonymous.get('/namespaces/other')).status).toBe(404);
    await createUser(service.context, person('other'));
  });

  test('a new password replaces the old one and signs browsers out', async () => {
    const { context } = service;
    await createUser(context, person('pia'));
    const [cookie = ''] = (await context.webSessions.signIn('pia@example.org', password)) ?? [];
    await setPassword(context, 'pia', 'another horse battery');
    expect((await context.webSessions.read(cookie.split(';')[0])).signedIn).toBeNull();
    expect(await context.webSessions.signIn('pia@example.org', password)).toBeNull();
    expect(await context.webSessions.signIn('pia@example.org', 'another horse battery')).not.toBeNull();
    await expect(setPassword(context, 'nobody', password)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('an invitation is valid for one account and for a week', async () => {
    const { context } = service;
    const secretOf = (link: string) => new URLSearchParams(link.split('?')[1]).get('invitation') ?? '';
    const invitation = secretOf((await createInvitation(context)).link);
    expect(await maySignUp(context, '')).toBe(false);
    expect(await maySignUp(context, invitation)).toBe(true);
    const tries = await Promise.allSettled(
      ['eva', 'fay'].map((name) => signUp(context, invitation, person(name))),
    );
    expect(tries.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);

    const late = secretOf((await createInvitation(context)).link);
    service.advance(7 * 86_400);
    await expect(signUp(context, late, person('gil'))).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('a failed sign-up leaves the invitation valid', async () => {
    const { context } = service;
    const { link } = await createInvitation(context);
    const invitation = link.split('=')[1] ?? '';
    await expect(signUp(context, invitation, person('olga'))).rejects.toMatchObject({ code: 'slug_taken' });
    await signUp(context, invitation, person('hal'));
  });

  test('open sign-up needs no invitation, and closed sign-up accepts none', async () => {
    const { context } = service;
    const as = (signup: 'open' | 'closed') => ({
      ...context,
      configuration: { ...context.configuration, signup },
    });
    expect(await maySignUp(as('open'), '')).toBe(true);
    const { link } = await createInvitation(context);
    expect(await maySignUp(as('closed'), link.split('=')[1] ?? '')).toBe(false);
  });
});
