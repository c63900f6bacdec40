import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountOptions, createAccount } from '../../src/accounts/create-account.ts';
import { disableUser } from '../../src/accounts/disable.ts';
import { createInvitation, signUp } from '../../src/accounts/invitations.ts';
import { setOperator } from '../../src/accounts/operators.ts';
import { setUp, setUpLink } from '../../src/accounts/set-up.ts';
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
    await service.parts.db.deleteFrom('namespaces').execute();
    await service.parts.db.deleteFrom('accounts').execute();
  });

  function make(userName: string, options: AccountOptions) {
    const account = { userName, displayName: userName, email: `${userName}@example.org` };
    return createAccount(service.parts, account, options);
  }

  async function operators(): Promise<string[]> {
    const rows = await service.parts.db
      .selectFrom('accounts')
      .select('user_name')
      .where('operator', '=', 1)
      .orderBy('user_name')
      .execute();
    return rows.map(({ user_name }) => user_name);
  }

  test('the account created through the set-up link is an operator', async () => {
    const link = (await setUpLink(service.parts)) ?? '';
    await setUp(service.parts, new URLSearchParams(link.split('?')[1]).get('token') ?? '', person('ada'));
    expect(await operators()).toEqual(['ada']);
  });

  test('the first account created on the machine and any created as operator are operators; sign-ups are not', async () => {
    const { link } = await createInvitation(service.parts);
    await signUp(
      service.parts,
      new URLSearchParams(link.split('?')[1]).get('invitation') ?? '',
      person('eve'),
    );
    expect(await operators()).toEqual([]);
    await service.parts.db.deleteFrom('accounts').execute();
    await service.parts.db.deleteFrom('namespaces').execute();

    await make('ada', { operator: 'if-first' });
    await make('bob', { operator: 'if-first' });
    await make('cleo', { operator: true });
    expect(await operators()).toEqual(['ada', 'cleo']);
  });

  test('operators can be appointed and demoted, but not the last one who can sign in', async () => {
    await make('ada', { operator: true });
    await make('bob', {});
    const refusal = { code: 'last_operator' };
    await expect(setOperator(service.parts, 'ada', false)).rejects.toMatchObject(refusal);
    await setOperator(service.parts, 'bob', true);
    await setOperator(service.parts, 'ada', false);
    expect(await operators()).toEqual(['bob']);

    await setOperator(service.parts, 'ada', true);
    await disableUser(service.parts, 'bob');
    await expect(setOperator(service.parts, 'ada', false)).rejects.toMatchObject(refusal);
    await expect(setOperator(service.parts, 'nobody', true)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('two operators who demote each other at once leave one operator', async () => {
    await make('ada', { operator: true });
    await make('bob', { operator: true });
    const outcomes = await Promise.allSettled(
      ['ada', 'bob'].map((name) => setOperator(service.parts, name, false)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await operators()).toHaveLength(1);
  });
});
