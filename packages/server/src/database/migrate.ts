import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, type Migration, Migrator } from 'kysely/migration';
import { readVersion } from '../version.ts';
import { BASELINE } from './migrations/baseline.ts';
import { migrations } from './migrations/index.ts';
import type { Database, SchemaChangesTable } from './schema.ts';
import { type OldestRelease, oldestRelease, type Release } from './schema-change.ts';

const THIS_RELEASE: Release = { version: readVersion(), migrations };

/**
 * Migrates the database to the newest schema that a release knows, and returns the names of the migrations that it
 * applied. They are applied all or none; of several concurrent callers one applies them and the others wait. A schema
 * that a newer release has changed is left alone; throws `SchemaTooNew` if this release cannot run on it.
 */
export async function migrate(db: Database, release: Release = THIS_RELEASE): Promise<string[]> {
  const migrator = new Migrator({
    db: db as Kysely<unknown>,
    provider: { getMigrations: async () => recorded(release) },
  });
  return retryWhileLocked(async () => {
    const { error, results } = await migrator.migrateToLatest();
    if (!error) return (results ?? []).map(({ migrationName }) => migrationName);
    const applied = await appliedMigrations(db);
    if (applied.every((name) => name in release.migrations)) throw error;
    await requireUsableSchema(db, release);
    return [];
  });
}

/**
 * Returns the names of the migrations that a release has and the database lacks, in order. Throws `SchemaTooNew` if a
 * newer release has changed the schema so that this one cannot run on it.
 */
export async function pendingMigrations(db: Database, release: Release = THIS_RELEASE): Promise<string[]> {
  const names = Object.keys(release.migrations).sort();
  if (!(await hasSchema(db))) return names;
  await requireUsableSchema(db, release);
  const applied = await appliedMigrations(db);
  return names.filter((name) => !applied.includes(name));
}

/** Returns the oldest release that can run on a database once these `pending` migrations of a release are applied. */
export async function oldestReleaseAfter(
  db: Database,
  pending: readonly string[],
  release: Release = THIS_RELEASE,
): Promise<OldestRelease> {
  const changes = pending
    .filter((name) => name >= BASELINE)
    .map((migration) => describeChange(release, migration));
  if (pending.includes(BASELINE)) return oldestRelease(changes);
  return oldestRelease([...changes, ...(await db.selectFrom('schema_changes').selectAll().execute())]);
}

/** Returns the name of the newest migration that was applied, by any release. */
export async function newestMigration(db: Database): Promise<string> {
  return (await appliedMigrations(db)).at(-1) ?? '';
}

/** Throws `SchemaTooNew` if a newer release has changed the schema so that this one cannot run on it. */
export async function requireUsableSchema(db: Database, release: Release = THIS_RELEASE): Promise<void> {
  const { version, migrations } = release;
  const newestKnown = Object.keys(migrations).sort().at(-1) ?? '';
  const applied = await appliedMigrations(db);
  const unknown = applied.filter((name) => !(name in migrations));
  if (unknown.length === 0) return;
  if (!Object.keys(migrations).every((name) => applied.includes(name))) throw new SchemaTooNew(null, version);
  const rows = await db.selectFrom('schema_changes').selectAll().where('migration', 'in', unknown).execute();
  const changes = new Map(rows.map((change) => [change.migration, change]));
  const runsHere = (name: string) => (changes.get(name)?.runs_from ?? name) <= newestKnown;
  if (unknown.every(runsHere)) return;
  throw new SchemaTooNew(changes.get(unknown.at(-1) ?? '')?.made_by ?? null, version);
}

/** A newer release has changed the schema of the database so that this one cannot run on it. */
export class SchemaTooNew extends Error {
  override readonly name = 'SchemaTooNew';

  /** `newer` is the version that changed the schema, or null if it is not known. */
  constructor(newer: string | null, version: string) {
    const known = newer === null || newer === version ? null : newer;
    super(
      `${known === null ? 'a newer version of Bindery' : `Bindery ${known}`} has changed its schema, so this ` +
        `version (${version}) cannot run on it; start ${known ?? 'the newer one'} or later, or restore the ` +
        'backup from before the upgrade',
    );
  }
}

/**
 * Returns the migrations of a release, each of which also records, in the same transaction, which code can run on its
 * schema.
 */
function recorded({ version, migrations }: Release): Record<string, Migration> {
  const names = Object.keys(migrations).sort();
  const entries = Object.entries(migrations).map(([name, { up }]): [string, Migration] => [
    name,
    {
      up: async (db) => {
        await up(db);
        if (name < BASELINE) return;
        const changes = names
          .filter((other) => other >= BASELINE && other <= name)
          .map((migration) => describeChange({ version, migrations }, migration));
        await (db as Database)
          .insertInto('schema_changes')
          .values(changes)
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      },
    },
  ]);
  return Object.fromEntries(entries);
}

function describeChange({ version, migrations }: Release, migration: string): SchemaChangesTable {
  return { migration, made_by: version, runs_from: migrations[migration]?.runsFrom ?? migration };
}

/** Whether a database holds tables of this service, rather than nothing. */
export async function hasSchema(db: Database): Promise<boolean> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  return tables.some(({ name }) => name === DEFAULT_MIGRATION_TABLE);
}

/** Returns the names of the migrations that were applied, by any release, in order. */
export async function appliedMigrations(db: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name);
}

/** How long to wait for a lock, and the longest pause between two attempts, in milliseconds. */
const TIMEOUT = 120_000;
const MAX_PAUSE = 500;

/** PostgreSQL's SQLSTATEs for a lock timeout and for a deadlock. */
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

/**
 * Repeats `work` as long as others hold locks that it needs; an attempt that fails for that reason has changed nothing.
 */
export async function retryWhileLocked<Result>(work: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + TIMEOUT;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const { code } = error as { code?: string };
      const isLocked = code === LOCK_NOT_AVAILABLE || code === DEADLOCK;
      if (!isLocked || performance.now() > deadline) throw error;
    }
    await sleep(MAX_PAUSE * Math.random());
  }
}
