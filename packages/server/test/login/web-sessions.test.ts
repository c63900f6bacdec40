import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { createPerson } from '../people.ts';
import { startService, type TestService } from '../service.ts';

const password = 'correct horse battery';

describe.each(databases)('web sessions over $name', ({ open }) => {
  let service: TestService;
  let accountId: string;
  beforeAll(async () => {
    service = await startService({ database: await open() });
    const ada = { userName: 'ada', email: 'Ada@Example.org', password };
    ({ accountId } = await createPerson(service.context, ada));
  });
  afterAll(() => service.close());

  test('the right password signs in until sign-out, whatever the letter case of the address', async () => {
    const { webSessions } = service.context;
    const cookies = await webSessions.signIn('ada@EXAMPLE.org', password);
    const [cookie = ''] = cookies ?? [];
    expect(cookie).toMatch(/^bindery\.session_token=.*HttpOnly; SameSite=Lax$/);

    const header = cookie.split(';')[0];
    expect((await webSessions.read(header)).signedIn).toMatchObject({ accountId });
    await webSessions.signOut(header);
    expect((await webSessions.read(header)).signedIn).toBeNull();
  });

  test.each([
    ['a wrong password', 'ada@example.org', 'incorrect horse battery'],
    ['an unknown address', 'nobody@example.org', password],
    ['an invalid address', 'ada', password],
  ])('%s does not sign in', async (_what, email, attempt) => {
    expect(await service.context.webSessions.signIn(email, attempt)).toBeNull();
  });

  test('a forged session cookie is not signed in', async () => {
    const header = 'bindery.session_token=abc.def';
    expect((await service.context.webSessions.read(header)).signedIn).toBeNull();
  });
});
