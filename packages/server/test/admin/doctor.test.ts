import { mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MACHINE } from '../../src/access/viewer.ts';
import { createAccount } from '../../src/accounts/accounts.ts';
import { openSqlite } from '../../src/adapters/database/sqlite.ts';
import { changeUser } from '../../src/administration/users.ts';
import { type Configuration, readConfiguration } from '../../src/configuration/configuration.ts';
import { migrate } from '../../src/database/migrate.ts';
import { BASELINE } from '../../src/database/migrations/baseline.ts';
import type { Database } from '../../src/database/schema.ts';
import { recordDamaged } from '../../src/objects/health/damage.ts';
import {
  type Diagnosis,
  diagnoseClock,
  diagnoseDisk,
  diagnoseModel,
  diagnoseSchema,
  diagnoseStore,
} from '../../src/operations/diagnoses.ts';
import { diagnose } from '../../src/operations/doctor.ts';
import { databases, type LocatedDatabase } from '../databases.ts';

const GIB = 1024 ** 3;
const statusOf = (found: Diagnosis[]) => Object.fromEntries(found.map(({ part, status }) => [part, status]));

describe.each(databases)('bindery admin doctor over $name', ({ name, open }) => {
  let dataDir: string;
  let configuration: Configuration;
  let database: LocatedDatabase | null = null;
  let db: Database;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'bindery-doctor-'));
    if (name === 'PostgreSQL') database = await open();
    const file = join(dataDir, 'bindery.db');
    db = database?.db ?? openSqlite(file);
    await migrate(db);
    configuration = {
      ...readConfiguration({ BINDERY_DATA_DIR: dataDir, BINDERY_ENCODER: 'off' }),
      databaseUrl: database?.location ?? null,
      diskReserveBytes: 0,
    };
    const ada = { userName: 'ada', displayName: 'Ada', email: 'ada@example.org' };
    await createAccount({ db, clock: Date.now }, ada, { operator: true });
  });
  afterEach(async () => {
    await (database?.close() ?? db.destroy());
    database = null;
    await rm(dataDir, { recursive: true, force: true });
  });

  test('reports every part as ok if nothing is wrong', async () => {
    const found = await diagnose(configuration);
    expect(statusOf(found)).toEqual({
      database: 'ok',
      schema: 'ok',
      clock: 'ok',
      store: 'ok',
      disk: 'ok',
      model: 'ok',
      accounts: 'ok',
      damage: 'ok',
      scrub: 'ok',
      ...(database === null ? {} : { servers: 'ok' }),
    });
    expect(found.filter(({ remedy }) => remedy !== null)).toEqual([]);
  });

  test('suggests a remedy for damaged objects, a full disk, and a service without an operator', async () => {
    await recordDamaged({ db, clock: Date.now }, 'store', ['a'.repeat(64)]);
    await db.updateTable('accounts').set({ operator: 0 }).execute();
    const found = await diagnose({ ...configuration, diskReserveBytes: 10 ** 18 });
    expect(statusOf(found)).toMatchObject({ accounts: 'warning', damage: 'failed' });
    expect(found.some(({ part, status }) => part === 'store' && status === 'failed')).toBe(true);
    for (const { status, remedy } of found) expect(remedy === null).toBe(status === 'ok');
    await changeUser({ db, clock: Date.now }, MACHINE, { userName: 'ada' }, { operator: true });
    expect(statusOf(await diagnose(configuration))).toMatchObject({ accounts: 'ok' });
  });

  test('does not migrate a schema of an earlier version', async () => {
    await db.deleteFrom('schema_changes').where('migration', '=', BASELINE).execute();
    const before = await db.selectFrom('schema_changes').selectAll().execute();
    await diagnose(configuration);
    expect(await db.selectFrom('schema_changes').selectAll().execute()).toEqual(before);
  });
});

test('bindery admin doctor reports a missing or damaged database in the data folder as failed', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'bindery-doctor-'));
  const configuration = readConfiguration({ BINDERY_DATA_DIR: dataDir, BINDERY_ENCODER: 'off' });
  try {
    expect(statusOf(await diagnose(configuration))).toEqual({ database: 'failed', model: 'ok' });
    const file = join(dataDir, 'bindery.db');
    const db = openSqlite(file);
    await migrate(db);
    await db.destroy();
    await truncate(file, 10_000);
    expect(statusOf(await diagnose(configuration))).toEqual({ database: 'failed', model: 'ok' });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

test.each([
  [diagnoseClock(10_000, 11_000), 'ok'],
  [diagnoseClock(10_000, 15_000), 'warning'],
  [diagnoseClock(100_000, 10_000), 'failed'],
  [diagnoseDisk({ total: 100 * GIB, free: 50 * GIB, reserve: GIB }), 'ok'],
  [diagnoseDisk({ total: 100 * GIB, free: 1.1 * GIB, reserve: GIB }), 'warning'],
  [diagnoseDisk({ total: 100 * GIB, free: 0.5 * GIB, reserve: GIB }), 'failed'],
  [diagnoseDisk(null), 'ok'],
  [diagnoseSchema(['1', '2'], ['1', '2'], { byHand: true }), 'ok'],
  [diagnoseSchema(['1'], ['1', '2'], { byHand: false }), 'warning'],
  [diagnoseSchema(['1'], ['1', '2'], { byHand: true }), 'failed'],
  [diagnoseSchema([], ['1'], { byHand: true }), 'failed'],
  [diagnoseModel(null, null, null), 'ok'],
  [diagnoseModel('siglip2', 'included', null), 'ok'],
  [diagnoseModel('siglip2', null, 'The model is not there.'), 'warning'],
])('the diagnosis %j has status %s, and a remedy unless it is ok', (diagnosis, status) => {
  expect(diagnosis.status).toBe(status);
  expect(diagnosis.remedy === null).toBe(status === 'ok');
});

test('the diagnosis of the store says whether the bucket or the service verifies uploads', () => {
  expect(diagnoseStore(null, null)).toMatchObject({ status: 'ok', message: 'The files can be reached.' });
  expect(diagnoseStore(null, 'header-signed').message).toContain('by the bucket itself (header-signed)');
  expect(diagnoseStore(null, 'read-back').message).toContain(
    'by this service, which reads each of them again',
  );
  expect(diagnoseStore('The disk is full.', null)).toMatchObject({
    status: 'warning',
    message: 'The disk is full.',
  });
});
