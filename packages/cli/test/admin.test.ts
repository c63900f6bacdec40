import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount, findAccountByName, writeIdentity } from '../../server/src/accounts/accounts.ts';
import { identityKey, OIDC_PROVIDER } from '../../server/src/accounts/sign-in-methods.ts';
import { openSqlite } from '../../server/src/adapters/database/sqlite.ts';
import { DiskObjectFolder } from '../../server/src/adapters/objects/disk/object-folder.ts';
import { migrate } from '../../server/src/database/migrate.ts';
import { migrations } from '../../server/src/database/migrations/index.ts';
import { lockDataFolder } from '../../server/src/process/data-folder.ts';
import { publish } from '../../server/test/libraries/publish.ts';
import { startService } from '../../server/test/service.ts';
import { createTerminalUser, type TerminalUser } from './command-line.ts';

/** Somebody at the machine of a service that does not run, unless a test starts it. */
let machine: TerminalUser;
const database = () => openSqlite(join(machine.home, 'bindery.db'));
beforeAll(async () => {
  const person = await createTerminalUser();
  machine = person.with({ BINDERY_DATA_DIR: person.home });
  const db = openSqlite(join(person.home, 'bindery.db'));
  await migrate(db);
  for (const userName of ['ada', 'bob', 'cleo']) {
    const account = { userName, displayName: userName, email: `${userName}@example.org` };
    await createAccount({ db, clock: Date.now }, account, { operator: 'if-first' });
  }
  await db.destroy();
});
afterAll(() => machine.dispose());

const admin = (...words: string[]) => machine.run('admin', ...words);

test('admin users lists and searches accounts and shows which are operators', async () => {
  expect(await admin('users')).toEqual({
    code: 0,
    stdout:
      'ada  ada  ada@example.org  operator\nbob  bob  bob@example.org  -\ncleo  cleo  cleo@example.org  -\n',
    stderr: 'Page 1 of 1 · 3 in all\n',
  });
  const { stdout } = await admin('users', '--search', 'BOB', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ total: 1, users: [{ userName: 'bob', isOperator: false }] });
});

test('a list that is empty says so', async () => {
  expect(await admin('users', '--search', 'nobody')).toEqual({
    code: 0,
    stdout: '',
    stderr: 'There are none.\n',
  });
});

test('admin create-invitation says that it guesses the address of the service', async () => {
  const { stdout, stderr } = await admin('create-invitation');
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:7420\/sign-up\?invitation=\S+\n$/);
  expect(stderr).toContain('replace http://127.0.0.1:7420');
});

test('the last operator cannot be removed until another account is made an operator', async () => {
  expect(await admin('operator', 'ada', '--remove')).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('at least one operator'),
  });
  expect((await admin('operator', 'bob')).stdout).toBe('"bob" is an operator.\n');
  expect((await admin('operator', 'ada', '--remove')).code).toBe(0);
  expect((await admin('operator', 'nobody')).code).toBe(5);
});

test('admin disconnect-user disconnects an account from its provider, and fails if it has none', async () => {
  const db = database();
  const { id } = await findAccountByName(db, 'bob');
  const key = identityKey({ issuer: 'https://id.example.org/acme', subject: '7' });
  await db
    .transaction()
    .execute((trx) => writeIdentity(trx, id, { provider: OIDC_PROVIDER, key }, Date.now()));
  await db.destroy();
  expect((await admin('disconnect-user', 'bob')).code).toBe(2);
  expect(await admin('disconnect-user', 'bob', '--yes')).toEqual({
    code: 0,
    stdout: 'Disconnected "bob" from id.example.org.\n',
    stderr: expect.stringContaining('The account has no password'),
  });
  expect(await admin('disconnect-user', 'bob', '--yes')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('This account is not connected to a provider.'),
  });
});

test('admin hand-over adds an owner to a namespace', async () => {
  expect((await admin('hand-over', 'cleo', 'ada')).stdout).toBe('"ada" is an owner of cleo.\n');
  expect((await admin('namespaces', '--search', 'cleo')).stdout).toBe('cleo  personal  2  0  0 B  -\n');
});

test('admin quota sets, shows and removes the quota of a namespace', async () => {
  expect(await admin('quota', 'ada', '--bytes', '50G', '--libraries', '20')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^libraries +0 of 20\nbytes +0 B of 50 GiB\n$/),
  });
  expect((await admin('namespaces', '--search', 'ada')).stdout).toContain('0 of 20 libraries, 0 B of 50 GiB');
  const { stdout } = await admin('quota', 'ada', '--json');
  expect(JSON.parse(stdout)).toEqual({
    slug: 'ada',
    quota: {
      limits: { libraries: 20, files: null, bytes: 50 * 1024 ** 3 },
      used: { libraries: 0, files: 0, bytes: 0 },
    },
  });
  expect((await admin('quota', 'ada', '--bytes', 'none', '--libraries', 'none')).stdout).toBe(
    'ada has no quota.\n',
  );
  expect(await admin('quota', 'ada', '--bytes', '50 apples')).toMatchObject({ code: 2 });
  expect(await admin('quota', 'nowhere')).toMatchObject({ code: 5 });
});

test('admin commands list, pause and resume webhooks of any namespace, redeliver, and toggle service events', async () => {
  const service = await startService({
    dataDir: machine.home,
    database: { db: database(), close: async () => {} },
  });
  const bob = await service.member('bob');
  const { body: hook } = await bob.post<{ id: string }>('/namespaces/bob/webhooks', {
    url: 'https://receiver.invalid/secret-path',
  });
  await bob.patch(`/namespaces/bob/webhooks/${hook.id}`, { paused: true });
  const { body: ping } = await bob.post<{ id: string }>(`/namespaces/bob/webhooks/${hook.id}/ping`);
  await service.close();
  const row = (state: string) => `${hook.id}  bob  ${state}  1  0  receiver.invalid\n`;
  expect((await admin('webhooks')).stdout).toBe(row('paused'));
  expect((await admin('resume-webhook', hook.id)).stdout).toBe(`${hook.id} of bob is active again.\n`);
  expect((await admin('webhooks', '--state', 'active')).stdout).toBe(row('active'));
  expect((await admin('pause-webhook', hook.id)).stdout).toBe(`${hook.id} of bob is paused.\n`);
  expect((await admin('webhooks', '--search', 'BOB')).stderr).toContain(
    'An operator of the service paused it.',
  );
  expect((await admin('webhooks', '--state', 'failing')).stdout).toBe('');
  expect((await admin('service-events', hook.id)).stdout).toBe(
    `${hook.id} to receiver.invalid now receives events of the service.\n`,
  );
  expect((await admin('service-events', hook.id, '--off')).stdout).toContain('no longer receives');
  expect((await admin('webhook-deliveries', hook.id)).stdout).toContain(`${ping.id}  `);
  expect((await admin('redeliver', hook.id, ping.id)).stdout).toBe(`ping ${ping.id} is queued.\n`);
  expect((await admin('redeliver', hook.id, 'msg_none')).code).toBe(5);
});

test('admin audit lists actions newest first, page by page, filtered by action and day', async () => {
  const lines = (await admin('audit', '--first', '3', '--action', 'namespace.quota')).stdout.split('\n');
  expect(lines[0]).toMatch(/^\d{4}-\S+Z {2}- {2}machine {2}namespace\.quota {2}ada {2}- {2}-$/);
  expect(lines[1]).toContain('libraries=20 bytes=53687091200');
  const { stdout } = await admin('audit', '--first', '1', '--json');
  const { entries, pageInfo } = JSON.parse(stdout);
  expect([entries.length, pageInfo.hasNextPage]).toEqual([1, true]);
  const next = await admin('audit', '--first', '1', '--after', pageInfo.endCursor, '--json');
  expect(JSON.parse(next.stdout).entries[0].id < entries[0].id).toBe(true);
  const day = entries[0].at.slice(0, 10);
  const since = JSON.parse((await admin('audit', '--since', day, '--first', '1', '--json')).stdout);
  expect(since.entries).toEqual(entries);
  expect(JSON.parse((await admin('audit', '--until', '2020-01-01', '--json')).stdout).entries).toEqual([]);
  expect(await admin('audit', '--since', '2026-02-30')).toMatchObject({ code: 2 });
  expect(await admin('audit', '--action', 'nothing')).toMatchObject({ code: 2 });
});

test('admin delete-user says what happens to the namespaces, and deletes the account only with --yes', async () => {
  const unasked = await admin('delete-user', 'cleo');
  expect(unasked).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Namespace cleo is empty and will be deleted'),
  });
  expect((await admin('delete-user', 'cleo', '--yes')).stdout).toBe(
    'Deleted "cleo": 0 namespaces handed over, 1 deleted.\n',
  );
  expect((await admin('delete-user', 'cleo', '--yes')).code).toBe(5);
  expect((await admin('delete-user', 'bob', '--yes')).code).toBe(6);
});

test('admin doctor reports the accounts as ok, and fails with exit code 7 if there is no database', async () => {
  const { code, stdout } = await admin('doctor', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout).findings).toContainEqual({
    part: 'accounts',
    status: 'ok',
    message: '1 of 2 accounts administer the service.',
    remedy: null,
  });
  const nowhere = await admin('doctor', '--data-dir', join(machine.home, 'nowhere'));
  expect(nowhere).toMatchObject({
    code: 7,
    stdout: expect.stringContaining('database: FAILED. There is no'),
  });
});

test('next to a running service, admin fsck reports a missing file and admin gc deletes nothing in use', async () => {
  const db = database();
  const service = await startService({
    dataDir: machine.home,
    database: { db, close: () => db.destroy() },
  });
  try {
    const ada = await service.member('ada');
    await publish(ada, 'ada/kitchen', { assets: [{ id: 'mug', files: { 'mug/mug.txt': 'a mug' } }] });
    const clean = await admin('fsck', '--read-data');
    expect(clean).toMatchObject({ code: 0, stderr: '' });
    expect(clean.stdout).toMatch(
      /^Checked 1 library, 1 revision: 3 objects, 3 of them read\. No problems found\./,
    );

    const survey = await admin('gc', '--dry-run');
    expect(survey).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/current revision of a library +3 /),
    });
    const dryRun = JSON.parse((await admin('gc', '--dry-run', '--json')).stdout);
    expect(dryRun).toMatchObject({ state: 'surveyed', survey: { doomed: { objects: 0, bytes: 0 } } });
    expect((await admin('gc')).stdout).toBe('Went through 1 library: deleted 0 objects, 0 B.\n');
    const served = await lockDataFolder(machine.home);
    expect((await admin('gc')).stdout).toBe(
      'The running service goes through 1 library within five minutes.\n',
    );
    served.release();
    const collections = JSON.parse((await admin('audit', '--action', 'objects.collect', '--json')).stdout);
    expect(collections.entries).toMatchObject([
      { via: 'machine', details: { libraries: 1 } },
      { via: 'machine', details: { libraries: 1, objects: 0, bytes: 0 } },
    ]);

    const { store_id: storeId } = await db
      .selectFrom('libraries')
      .select('store_id')
      .executeTakeFirstOrThrow();
    const sha256 = createHash('sha256').update('a mug').digest('hex');
    const mug = new DiskObjectFolder(join(machine.home, 'objects')).fileOf({ storeId, sha256 });
    await rm(mug);
    const broken = await admin('fsck', '--read-data=10%');
    expect(broken).toMatchObject({ code: 7, stdout: expect.stringContaining('Something is wrong.') });
    expect(broken.stderr).toContain('ada/kitchen: the file "mug/mug.txt" of revision 1 is missing');
    const { stdout } = await admin('fsck', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ findings: [{ problem: 'missing', sha256 }], isSound: false });
    expect((await admin('fsck', '--read-data=0%')).code).toBe(2);

    await writeFile(mug, 'a pan');
    expect((await admin('fsck', '--read-data', '--repair')).code).toBe(7);
    await writeFile(mug, 'a mug');
    const restored = await admin('fsck', '--read-data', '--repair');
    expect(restored).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('All problems were repaired.'),
      stderr: expect.stringContaining(
        'the file "mug/mug.txt" of revision 1 is recorded as damaged, but intact; repaired: the record was removed.',
      ),
    });
  } finally {
    await service.close();
  }
  expect(await admin('fsck', '--data-dir', join(machine.home, 'nowhere'))).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('There is no database'),
  });
});

test('admin migrate brings the schema up to date and says which versions can run on it', async () => {
  const person = await createTerminalUser();
  const names = Object.keys(migrations);
  const newest = names.at(-1) ?? '';
  const { [newest]: _, ...earlier } = migrations;
  const migrating = (...words: string[]) =>
    person.run('admin', 'migrate', '--data-dir', person.home, ...words);
  try {
    expect(await migrating()).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('There is no database'),
    });
    const db = openSqlite(join(person.home, 'bindery.db'));
    await migrate(db, { version: '0.0.1', migrations: earlier });
    await db.destroy();
    const pending = `1 migration pending:\n  ${newest}\n`;
    expect(await migrating('--dry-run')).toMatchObject({ code: 0, stdout: expect.stringContaining(pending) });
    const runs = /^0\.0\.1 and later run on it \(they know \d{4}-[a-z-]+\)\.\n$/m;
    const applied = await migrating();
    expect(applied).toMatchObject({ code: 0, stdout: expect.stringMatching(runs) });
    expect(applied.stdout).toContain(`Applied 1 migration:\n  ${newest}\n`);
    expect((await migrating()).stdout).toContain('The schema is up to date.\n');
    expect(JSON.parse((await migrating('--json')).stdout)).toMatchObject({ applied: [], pending: [] });
  } finally {
    await person.dispose();
  }
});
