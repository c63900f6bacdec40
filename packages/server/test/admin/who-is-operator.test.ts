import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MACHINE } from '../../src/access/viewer.ts';
import { type AccountOptions, createAccount } from '../../src/accounts/accounts.ts';
import { createInvitation, setUp, setUpLink, signUp } from '../../src/accounts/sign-up.ts';
import { changeUser } from '../../src/administration/users.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';

const password = 'correct horse battery';
const person = (userName: string) => ({ userName, email: `${userName}@example.org`, password });

describe.each(databases)('operators over $name', ({ open }) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ database: await open(), configuration: { signup: 'invite' } });
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    await service.context.db.deleteFrom('namespaces').execute();
    await service.context.db.deleteFrom('accounts').execute();
  });

  function make(userName: string, options: AccountOptions) {
    const account = { userName, displayName: userName, email: `${userName}@example.org` };
    return createAccount(service.context, account, options);
  }

  async function operators(): Promise<string[]> {
    const rows = await service.context.db
      .selectFrom('accounts')
      .select('user_name')
      .where('operator', '=', 1)
      .orderBy('user_name')
      .execute();
    return rows.map(({ user_name }) => user_name);
  }

  test('the account created through the set-up link is an operator', async () => {
    const link = (await setUpLink(service.context)) ?? '';
    await setUp(service.context, new URLSearchParams(link.split('?')[1]).get('token') ?? '', person('ada'));
    expect(await operators()).toEqual(['ada']);
  });

  test('the first account created on the machine and any created as operator are operators; sign-ups are not', async () => {
    const { link } = await createInvitation(service.context);
    await signUp(
      service.context,
      new URLSearchParams(link.split('?')[1]).get('invitation') ?? '',
      person('eve'),
    );
    expect(await operators()).toEqual([]);
    await service.context.db.deleteFrom('accounts').execute();
    await service.context.db.deleteFrom('namespaces').execute();

    await make('ada', { operator: 'if-first' });
    await make('bob', { operator: 'if-first' });
    await make('cleo', { operator: true });
    expect(await operators()).toEqual(['ada', 'cleo']);
  });

  test('operators can be appointed and demoted, but not the last one who can sign in', async () => {
    await make('ada', { operator: true });
    await make('bob', {});
    const refusal = { code: 'last_operator' };
    await expect(
      changeUser(service.context, MACHINE, { userName: 'ada' }, { operator: false }),
    ).rejects.toMatchObject(refusal);
    await changeUser(service.context, MACHINE, { userName: 'bob' }, { operator: true });
    await changeUser(service.context, MACHINE, { userName: 'ada' }, { operator: false });
    expect(await operators()).toEqual(['bob']);

    await changeUser(service.context, MACHINE, { userName: 'ada' }, { operator: true });
    await changeUser(service.context, MACHINE, { userName: 'bob' }, { disabled: true });
    await expect(
      changeUser(service.context, MACHINE, { userName: 'ada' }, { operator: false }),
    ).rejects.toMatchObject(refusal);
    await expect(
      changeUser(service.context, MACHINE, { userName: 'nobody' }, { operator: true }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  test('two operators who demote each other at once leave one operator', async () => {
    await make('ada', { operator: true });
    await make('bob', { operator: true });
    const outcomes = await Promise.allSettled(
      ['ada', 'bob'].map((name) =>
        changeUser(service.context, MACHINE, { userName: name }, { operator: false }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await operators()).toHaveLength(1);
  });
});
