import { setImmediate as endOfTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { coalesceCalls } from '../../src/login/authenticate.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';

test('calls for the same key in one turn share one query, which is sent after all of them', async () => {
  let state = 'before';
  const asked: string[] = [];
  const ask = coalesceCalls(async (key) => {
    asked.push(key);
    return `${key} ${state}`;
  });
  const [ann, bob, other] = [ask('a'), ask('a'), ask('b')];
  expect(asked).toEqual([]);
  state = 'after';
  expect(await Promise.all([ann, bob, other])).toEqual(['a after', 'a after', 'b after']);
  expect(asked).toEqual(['a', 'b']);
});

test('a call made while a query is in progress gets a query of its own', async () => {
  const answers: ((value: string) => void)[] = [];
  const ask = coalesceCalls(() => new Promise<string>((resolve) => answers.push(resolve)));
  const ann = ask('a');
  await endOfTurn();
  const bob = ask('a');
  await endOfTurn();
  answers[0]?.('old');
  answers[1]?.('new');
  expect(await Promise.all([ann, bob])).toEqual(['old', 'new']);
});

test.each<[string, (away: Error) => Promise<string>]>([
  ['rejects', (away) => Promise.reject(away)],
  [
    'throws',
    (away) => {
      throw away;
    },
  ],
])('a query that %s fails for all calls that share it, but not for later ones', async (_how, fail) => {
  const away = new Error('the database is away');
  const asked: string[] = [];
  const ask = coalesceCalls((key) => {
    asked.push(key);
    return asked.length === 1 ? fail(away) : Promise.resolve(key);
  });
  const outcomes = await Promise.allSettled([ask('a'), ask('a')]);
  expect(outcomes).toEqual(outcomes.map(() => ({ status: 'rejected', reason: away })));
  expect(await ask('a')).toBe('a');
  expect(asked).toEqual(['a', 'a']);
});

describe.each(databases)('$name: many simultaneous requests with one token', ({ open }) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ database: await open() });
  });
  afterAll(() => service.close());

  test('all succeed while it is valid, and all get 401 once it is deleted', async () => {
    const ann = await service.member('ann');
    const many = async () => {
      const answers = Array.from({ length: 20 }, () => ann.get('/api/auth/profile'));
      return new Set((await Promise.all(answers)).map(({ status }) => status));
    };
    expect(await many()).toEqual(new Set([200]));
    const { db } = service.context;
    const account = await db
      .selectFrom('accounts')
      .select('id')
      .where('user_name', '=', 'ann')
      .executeTakeFirstOrThrow();
    await db.deleteFrom('personal_access_tokens').where('account_id', '=', account.id).execute();
    await db.deleteFrom('token_families').where('account_id', '=', account.id).execute();
    expect(await many()).toEqual(new Set([401]));
  });
});
