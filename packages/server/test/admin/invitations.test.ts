import type { Invitation } from '@bindery/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { FormUser } from '../pages/forms.ts';
import { startService, type TestService } from '../service.ts';
import { operator } from './operators.ts';

interface Listed {
  invitations: Invitation[];
  refusal: string | null;
}

const PASSWORD = 'correct horse battery';

describe.each(databases)('inviting people over $name', ({ open }) => {
  let service: TestService;
  let olga: Actor;
  let ada: Actor;
  beforeAll(async () => {
    service = await startService({ database: await open() });
    olga = await operator(service, 'olga');
    ada = await service.member('ada');
  });
  afterAll(() => service.close());

  const invite = async (email?: string) =>
    (await olga.post<Invitation & { link: string }>('/admin/invitations', email ? { email } : {})).body;
  const listed = async () => (await olga.get<Listed>('/admin/invitations')).body.invitations;
  const signUp = (link: string, userName: string, email: string) =>
    new FormUser(service.url).post('/sign-up', {
      invitation: new URL(link).searchParams.get('invitation') ?? '',
      userName,
      email,
      password: PASSWORD,
    });

  test('gives a link with which one person creates an account, and no second', async () => {
    const { link, email } = await invite('bob@example.org');
    expect(email).toBe('bob@example.org');
    const page = await new FormUser(service.url).get(new URL(link).pathname + new URL(link).search);
    expect(page.text).toContain('value="bob@example.org"');
    expect((await signUp(link, 'bob', 'bob@example.org')).status).toBe(303);
    expect(await listed()).toEqual([]);
    expect((await signUp(link, 'eve', 'eve@example.org')).status).toBe(403);
  });

  test('lists what is open without links, and what is revoked no longer works', async () => {
    const { link, ...invitation } = await invite();
    expect(await listed()).toEqual([invitation]);
    expect(invitation).toMatchObject({ email: null, invitedBy: 'olga' });
    expect((await olga.delete(`/admin/invitations/${invitation.id}`)).status).toBe(204);
    expect((await olga.delete(`/admin/invitations/${invitation.id}`)).status).toBe(404);
    expect((await signUp(link, 'eve', 'eve@example.org')).status).toBe(403);
  });

  test('holds for seven days, and stores no link', async () => {
    const { link } = await invite('late@example.org');
    const stored = JSON.stringify(await service.context.db.selectFrom('invitations').selectAll().execute());
    expect(stored).not.toContain(new URL(link).searchParams.get('invitation'));
    service.advance(7 * 86_400 + 1);
    expect(await listed()).toEqual([]);
    expect((await signUp(link, 'late', 'late@example.org')).status).toBe(403);
    service.advance(-7 * 86_400 - 1);
  });

  test('is for operators: others do not learn that it exists', async () => {
    for (const actor of [ada, service.anonymous]) {
      const statuses = [
        (await actor.get('/admin/invitations')).status,
        (await actor.post('/admin/invitations', {})).status,
        (await actor.delete('/admin/invitations/any')).status,
        (await actor.post('/admin/users', { userName: 'x', email: 'x@example.org', password: PASSWORD }))
          .status,
      ];
      expect(new Set(statuses)).toEqual(new Set([404]));
    }
  });

  test('can be replaced by creating the account, which can then sign in', async () => {
    const user = { userName: 'carl', email: 'carl@example.org', password: PASSWORD };
    expect(await olga.post('/admin/users', user)).toMatchObject({
      status: 201,
      body: { userName: 'carl', email: 'carl@example.org', isOperator: false },
    });
    expect((await olga.post('/admin/users', user)).body).toMatchObject({ error: 'slug_taken' });
    expect((await olga.post('/admin/users', { ...user, userName: 'dora', password: 'short' })).status).toBe(
      400,
    );
    const carl = new FormUser(service.url);
    expect((await carl.post('/sign-in', { email: user.email, password: PASSWORD })).status).toBe(303);
  });
});

test('a service where nobody signs up says why nobody can be invited', async () => {
  const service = await startService({ configuration: { signup: 'closed' } });
  const olga = await operator(service, 'olga');
  expect((await olga.get<Listed>('/admin/invitations')).body.refusal).toContain('BINDERY_SIGNUP');
  expect((await olga.post('/admin/invitations', {})).status).toBe(403);
  await service.close();
});
