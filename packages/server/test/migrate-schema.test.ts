import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startService } from '../src/boot/main.ts';
import { type Configuration, readConfiguration } from '../src/configuration/configuration.ts';
import { appliedMigrations, migrate } from '../src/database/migrate.ts';
import { migrations } from '../src/database/migrations/index.ts';
import type { Database } from '../src/database/schema.ts';
import { oldestRelease } from '../src/database/schema-change.ts';
import { StartError } from '../src/errors.ts';
import { diagnose } from '../src/operations/doctor.ts';
import { migrateSchema } from '../src/operations/migrate.ts';
import { administer } from '../src/operations/operations.ts';
import { databases, type LocatedDatabase } from './databases.ts';

const NAMES = Object.keys(migrations);
const NEWEST = NAMES.at(-1) ?? '';
const BUCKET = { BINDERY_OBJECTS: 's3://robots', AWS_ENDPOINT_URL: 'http://127.0.0.1:1' };
const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'ada', AWS_SECRET_ACCESS_KEY: 'secret' };
const postgres = databases.find(({ name }) => name === 'PostgreSQL');

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'bindery-schema-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const configurationOf = (variables: Record<string, string>): Configuration =>
  readConfiguration({
    ...{ BINDERY_DATA_DIR: dataDir, BINDERY_ENCODER: 'off', BINDERY_PORT: '0', BINDERY_LOG_LEVEL: 'silent' },
    ...variables,
  });

describe.skipIf(!postgres)('over PostgreSQL and a bucket, where several servers can run', () => {
  let database: LocatedDatabase;
  let configuration: Configuration;
  beforeEach(async () => {
    if (!postgres) return;
    database = await postgres.open(toLastButOne);
    configuration = configurationOf({
      ...{ ...BUCKET, ...CREDENTIALS },
      BINDERY_DATABASE_URL: database.location,
    });
  });
  afterEach(() => database.close());

  test('servers and commands refuse a schema that is behind, and name the command that migrates it', async () => {
    const says = `is missing 1 of the migrations that this version needs (the newest is ${NEWEST}). Apply them once for all servers, with this version: bindery admin migrate`;
    const attempts = [() => startService(configuration), () => administer(configuration, async () => {})];
    for (const start of attempts) {
      const attempt = start();
      await expect(attempt).rejects.toThrow(StartError);
      await expect(attempt).rejects.toThrow(says);
    }
    expect(await appliedMigrations(database.db)).toEqual(NAMES.slice(0, -1));
    const [, schema] = await diagnose(configuration);
    expect(schema).toMatchObject({
      part: 'schema',
      status: 'failed',
      remedy: expect.stringContaining('bindery admin migrate'),
    });
  });

  test('the migrate command lists pending migrations, applies them, and then finds nothing to do', async () => {
    const dry = await migrateSchema(configuration, { dryRun: true });
    expect(dry).toMatchObject({ applied: [], pending: [NEWEST] });
    expect(await appliedMigrations(database.db)).toEqual(NAMES.slice(0, -1));
    expect(await migrateSchema(configuration, { dryRun: false })).toEqual({
      ...{ applied: [NEWEST], pending: [] },
      runsFrom: dry.runsFrom,
    });
    expect(await migrateSchema(configuration, { dryRun: false })).toMatchObject({ applied: [], pending: [] });
    await administer(configuration, async () => {});
  });

  test('an empty database counts as behind, and two migrate commands at once apply each migration once', async () => {
    if (!postgres) return;
    const empty = await postgres.open(async () => {});
    const { location } = empty;
    try {
      const onEmpty = { ...configuration, databaseUrl: location };
      await expect(startService(onEmpty)).rejects.toThrow('bindery admin migrate');
      expect(await diagnose(onEmpty)).toMatchObject([
        { part: 'database', status: 'ok' },
        { part: 'schema', status: 'failed' },
        { part: 'model' },
      ]);
      const both = await Promise.all([1, 2].map(() => migrateSchema(onEmpty, { dryRun: false })));
      expect(both.flatMap(({ applied }) => applied)).toEqual(NAMES);
      for (const { pending } of both) expect(pending).toEqual([]);
    } finally {
      await empty.close();
    }
  });

  test('one server with its files in a folder migrates automatically', async () => {
    await administer(configurationOf({ BINDERY_DATABASE_URL: database.location }), async () => {});
    expect(await appliedMigrations(database.db)).toEqual(NAMES);
  });
});

test('one server over SQLite migrates automatically, even with its files in a bucket', async () => {
  const check = async ({ db }: { db: Database }) => {
    expect(await appliedMigrations(db)).toEqual(NAMES);
  };
  await administer(configurationOf({ ...BUCKET, ...CREDENTIALS }), check, { create: true });
});

test('the migrate command refuses a missing database and does not create one', async () => {
  await expect(migrateSchema(configurationOf({}), { dryRun: false })).rejects.toThrow('There is no database');
  expect(await readdir(dataDir)).toEqual([]);
});

test.each([
  ['the newest if each change requires its own release', ['1', '2', '3'], '3'],
  ['the first if later changes only expand the schema', ['1', '1', '1'], '1'],
  ['an earlier one if the last change requires that one', ['1', '1', '2'], '2'],
  ['the newest if its change requires it, whatever was expanded before', ['1', '1', '3'], '3'],
])('the oldest release that runs on a schema is %s', (_, runsFrom, oldest) => {
  const changes = runsFrom.map((runs_from, at) => ({
    migration: `${at + 1}`,
    made_by: `0.${at + 1}.0`,
    runs_from,
  }));
  expect(oldestRelease(changes.toReversed())).toEqual({ migration: oldest, version: `0.${oldest}.0` });
});

/** The schema of a release that lacks the newest migration. */
async function toLastButOne(db: Database): Promise<void> {
  const { [NEWEST]: _, ...earlier } = migrations;
  await migrate(db, { version: '0.0.1', migrations: earlier });
}
