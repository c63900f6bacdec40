import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount } from '../../server/src/accounts/create-account.ts';
import { openSqlite } from '../../server/src/adapters/database/sqlite.ts';
import { migrate } from '../../server/src/database/migrate.ts';
import { newPerson, type Person } from './command-line.ts';

/** Somebody at the machine of a service that does not run. */
let machine: Person;
beforeAll(async () => {
  const person = await newPerson();
  machine = person.with({ BINDERY_DATA_DIR: person.home });
  const db = openSqlite(join(person.home, 'bindery.db'));
  await migrate(db);
  for (const userName of ['ada', 'bob', 'cleo']) {
    const account = { userName, displayName: userName, email: `${userName}@example.org` };
    await createAccount({ db, clock: Date.now }, account, { operator: 'if-first' });
  }
  await db.destroy();
});
afterAll(() => machine.leaves());

const admin = (...words: string[]) => machine.types('admin', ...words);

test('accounts are listed and found, with who is an operator', async () => {
  expect(await admin('users')).toEqual({
    code: 0,
    stdout:
      'ada  ada  ada@example.org  operator\nbob  bob  bob@example.org  -\ncleo  cleo  cleo@example.org  -\n',
    stderr: 'Page 1 of 1 · 3 in all\n',
  });
  const { stdout } = await admin('users', '--search', 'BOB', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ total: 1, users: [{ userName: 'bob', isOperator: false }] });
});

test('the last operator stays, and another one can take over', async () => {
  expect(await admin('operator', 'ada', '--remove')).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('at least one operator'),
  });
  expect((await admin('operator', 'bob')).stdout).toBe('"bob" is an operator.\n');
  expect((await admin('operator', 'ada', '--remove')).code).toBe(0);
  expect((await admin('operator', 'nobody')).code).toBe(5);
});

test('a namespace gets another owner', async () => {
  expect((await admin('hand-over', 'cleo', 'ada')).stdout).toBe('"ada" is an owner of cleo.\n');
  expect((await admin('namespaces', '--search', 'cleo')).stdout).toBe('cleo  personal  2  0  0 B\n');
});

test('an account is deleted after it was said what becomes of its namespaces', async () => {
  const unasked = await admin('delete-user', 'cleo');
  expect(unasked).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Namespace cleo is empty and is deleted'),
  });
  expect((await admin('delete-user', 'cleo', '--yes')).stdout).toBe(
    'Deleted "cleo": 0 namespaces handed over, 1 deleted.\n',
  );
  expect((await admin('delete-user', 'cleo', '--yes')).code).toBe(5);
  expect((await admin('delete-user', 'bob', '--yes')).code).toBe(6);
});
