import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { readVersion } from '../version.ts';
import { migrations } from './migrations/index.ts';
import type { Database } from './schema.ts';
import type { Release } from './schema-change.ts';

const THIS_RELEASE: Release = { version: readVersion(), migrations };

/**
 * Brings the database to the newest schema that a release knows. A schema that a newer release has changed is left
 * alone; throws `SchemaTooNew` if this one cannot run on it. A failed migration leaves the database as it was and
 * throws.
 */
export async function migrate(db: Database, release: Release = THIS_RELEASE): Promise<void> {
  const migrator = new Migrator({
    db: db as Kysely<unknown>,
    provider: { getMigrations: async () => release.migrations },
  });
  const { error } = await migrator.migrateToLatest();
  if (!error) return recordChanges(db, release);
  const applied = await appliedMigrations(db);
  if (applied.every((name) => name in release.migrations)) throw error;
  const isComplete = Object.keys(release.migrations).every((name) => applied.includes(name));
  if (!isComplete) throw new SchemaTooNew(null, release.version);
  await requireUsableSchema(db, release);
}

/** The name of the newest migration that was applied, by whichever release. */
export async function newestMigration(db: Database): Promise<string> {
  return (await appliedMigrations(db)).at(-1) ?? '';
}

/** Throws `SchemaTooNew` if a newer release has changed the schema so that this one cannot run on it. */
export async function requireUsableSchema(db: Database, release: Release = THIS_RELEASE): Promise<void> {
  const { version, migrations } = release;
  const newestKnown = Object.keys(migrations).sort().at(-1) ?? '';
  const unknown = (await appliedMigrations(db)).filter((name) => !(name in migrations));
  if (unknown.length === 0) return;
  const rows = await db.selectFrom('schema_changes').selectAll().where('migration', 'in', unknown).execute();
  const changes = new Map(rows.map((change) => [change.migration, change]));
  const runsHere = (name: string) => (changes.get(name)?.runs_from ?? name) <= newestKnown;
  if (unknown.every(runsHere)) return;
  throw new SchemaTooNew(changes.get(unknown.at(-1) ?? '')?.made_by ?? null, version);
}

/** The schema of a database is one that a newer release made and this one cannot run on. */
export class SchemaTooNew extends Error {
  override readonly name = 'SchemaTooNew';

  /** `newer` is the version that changed the schema, null where it is not known. */
  constructor(newer: string | null, version: string) {
    const known = newer === null || newer === version ? null : newer;
    super(
      `${known === null ? 'a newer version of Bindery' : `Bindery ${known}`} has changed its schema, and this ` +
        `version (${version}) cannot run on it; start ${known ?? 'the newer one'} or later, or restore the ` +
        'backup made before the upgrade',
    );
  }
}

/**
 * From here on only code that knows a migration may run: something was written that older code would take for something else.
 */
export async function requireKnowledgeOf(db: Database, migration: string): Promise<void> {
  await db
    .updateTable('schema_changes')
    .set({ runs_from: migration })
    .where('migration', '=', migration)
    .where('runs_from', '!=', migration)
    .execute();
}

async function recordChanges(db: Database, { version, migrations }: Release): Promise<void> {
  const changes = Object.entries(migrations).map(([migration, { runsFrom }]) => ({
    migration,
    made_by: version,
    runs_from: runsFrom ?? migration,
  }));
  await db
    .insertInto('schema_changes')
    .values(changes)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The names of the migrations that were applied, by whichever release, in their order. */
export async function appliedMigrations(db: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name);
}
