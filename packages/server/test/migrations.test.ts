import { type Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openPostgresForMigrations } from '../src/adapters/database/postgres.ts';
import { prepareDatabase } from '../src/boot/database.ts';
import { migrate, pendingMigrations, requireUsableSchema, SchemaTooNew } from '../src/database/migrate.ts';
import { migrations } from '../src/database/migrations/index.ts';
import type { Database } from '../src/database/schema.ts';
import type { Release, SchemaChange } from '../src/database/schema-change.ts';
import { StartError } from '../src/errors.ts';
import { databases, type LocatedDatabase } from './databases.ts';
import { startService } from './service.ts';

const postgres = databases.find(({ name }) => name === 'PostgreSQL');

test.each(databases)('$name: migrations can run again and keep the stored data', async ({ open }) => {
  const { db, close } = await open();
  try {
    await db.insertInto('settings').values({ key: 'motto', value: 'one process' }).execute();
    await migrate(db);
    const rows = await db.selectFrom('settings').selectAll().execute();
    expect(rows).toEqual([{ key: 'motto', value: 'one process' }]);
  } finally {
    await close();
  }
});

describe.each(databases)('on $name, a migration', ({ open, reopen }) => {
  const noSchema = async () => {};
  let database: LocatedDatabase;
  beforeEach(async () => {
    database = await open(noSchema);
  });
  afterEach(() => database.close());

  const failing = (up: SchemaChange['up']): Release => ({
    version: '97.0.0',
    migrations: { ...migrations, '9998-fine': { up: createTable('fine') }, '9999-failing': { up } },
  });

  test('that fails rolls back all pending migrations, and succeeds once it is fixed', async () => {
    await migrate(database.db);
    const broken = failing(async (db) => {
      await createTable('half')(db);
      throw new Error('the disk is full');
    });
    await expect(migrate(database.db, broken)).rejects.toThrow('the disk is full');
    expect(await pendingMigrations(database.db, broken)).toEqual(['9998-fine', '9999-failing']);
    expect(await migrate(database.db, failing(createTable('half')))).toEqual(['9998-fine', '9999-failing']);
  });

  test('is not applied if recording which releases can run on its schema fails', async () => {
    await migrate(database.db);
    const release = failing(({ schema }) => schema.alterTable('schema_changes').renameTo('lost').execute());
    await expect(migrate(database.db, release)).rejects.toThrow();
    expect(await pendingMigrations(database.db, release)).toEqual(['9998-fine', '9999-failing']);
  });

  test('is applied once when two processes migrate at the same time', async () => {
    const others = [reopen(database.location), reopen(database.location)];
    const applied = await Promise.all(others.map((db) => migrate(db)));
    for (const db of others) await db.destroy();
    expect(applied.flat()).toEqual(Object.keys(migrations));
    expect(await pendingMigrations(database.db)).toEqual([]);
  });
});

test.each(databases)(
  '$name: a schema from before the baseline is refused and left alone',
  async ({ open }) => {
    const { db, close } = await open(createTable('settings'));
    try {
      await expect(prepareDatabase(db, 'The database bindery.db')).rejects.toThrow(
        'The database bindery.db cannot be used: its schema is from before version 0.1.0',
      );
      expect((await db.introspection.getTables()).map(({ name }) => name)).toEqual(['settings']);
    } finally {
      await close();
    }
  },
);

describe.skipIf(!postgres)('on PostgreSQL, while servers are running', () => {
  test('a migration that deadlocks with a request lets the request finish, then completes', async () => {
    if (!postgres) return;
    const database = await postgres.open();
    const server = postgres.reopen(database.location);
    const migrating = openPostgresForMigrations(database.location);
    const lockIsAwaited = async () => {
      const { rows } = await sql`
        select 1 from pg_locks join pg_database on pg_database.oid = pg_locks.database
        where datname = current_database() and not granted`.execute(database.db);
      return rows.length > 0;
    };
    const holdsOne = Promise.withResolvers<void>();
    let attempts = 0;
    const up: SchemaChange['up'] = async (db) => {
      await sql`lock table memberships in access exclusive mode`.execute(db);
      holdsOne.resolve();
      if (++attempts === 1) await expect.poll(lockIsAwaited, { interval: 20 }).toBe(true);
      await sql`lock table namespaces in access exclusive mode`.execute(db);
    };
    const release = { version: '97.0.0', migrations: { ...migrations, '9999-two-tables': { up } } };
    try {
      const migrated = server.transaction().execute(async (request) => {
        await request.selectFrom('namespaces').select('id').execute();
        const migration = migrate(migrating, release);
        await holdsOne.promise;
        await request.selectFrom('memberships').select('role').execute();
        return { migration };
      });
      expect(await (await migrated).migration).toEqual(['9999-two-tables']);
      // A single attempt would mean that the two never waited for each other.
      expect(attempts).toBeGreaterThan(1);
    } finally {
      await Promise.all([server, migrating].map((db) => db.destroy()));
      await database.close();
    }
  });
});

describe.each(databases)('on $name, with a schema that a newer release has changed', ({ open }) => {
  const newest = Object.keys(migrations).at(-1) ?? '';
  let database: LocatedDatabase;

  /** A release that knows one migration more: a new table, or a column taken away. */
  const newer = (runsFrom?: string): Release => ({
    version: '97.0.0',
    migrations: {
      ...migrations,
      '9999-newer': {
        up: createTable('newer'),
        ...(runsFrom === undefined ? {} : { runsFrom }),
      },
    },
  });
  beforeEach(async () => {
    database = await open();
  });
  afterEach(() => database.close());

  test('an older release starts if the change only expands the schema, and reverts nothing', async () => {
    await migrate(database.db, newer(newest));
    await migrate(database.db);
    await requireUsableSchema(database.db);
    const { rows } = await sql`select * from newer`.execute(database.db);
    expect(rows).toEqual([]);
  });

  test('an older release that cannot run on it names the release that can', async () => {
    await migrate(database.db, newer());
    const start = prepareDatabase(database.db, 'The database bindery.db');
    await expect(start).rejects.toThrow(StartError);
    await expect(start).rejects.toThrow(
      /^The database bindery\.db cannot be used: Bindery 97\.0\.0 has changed its schema, so this version \(\S+\) cannot run on it; start 97\.0\.0 or later, or restore the backup from before the upgrade\.$/,
    );
  });

  test('a release refuses a schema change without a record, even if it has a pending migration of its own', async () => {
    await migrate(database.db, newer(newest));
    await database.db.deleteFrom('schema_changes').where('migration', '=', '9999-newer').execute();
    await expect(migrate(database.db)).rejects.toThrow('a newer version of Bindery has changed its schema');
    const other = { ...migrations, '9998-of-another-branch': { up: async () => {} } };
    await expect(migrate(database.db, { version: '96.0.0', migrations: other })).rejects.toThrow(
      SchemaTooNew,
    );
  });

  test('a running replica is no longer ready once a newer release makes an incompatible change', async () => {
    const service = await startService({ database: { db: database.db, close: async () => {} } });
    try {
      expect((await service.anonymous.get('/readyz')).status).toBe(200);
      await migrate(database.db, newer(newest));
      expect((await service.anonymous.get('/readyz')).status).toBe(200);
      await database.db
        .updateTable('schema_changes')
        .set({ runs_from: '9999-newer' })
        .where('migration', '=', '9999-newer')
        .execute();
      const { status, body } = await service.anonymous.get<{ message: string }>('/readyz');
      expect(status).toBe(503);
      expect(body.message).toContain('Bindery 97.0.0 has changed its schema');
    } finally {
      await service.close();
    }
  });
});

const createTable =
  (name: string): SchemaChange['up'] =>
  ({ schema }) =>
    schema.createTable(name).addColumn('id', 'text').execute();

/** Brings a database to the schema of an earlier version, of which `name` is the last migration. */
async function migrateTo(db: Database, name: string): Promise<void> {
  const provider = { getMigrations: async () => migrations };
  const { error } = await new Migrator({ db: db as Kysely<unknown>, provider }).migrateTo(name);
  if (error) throw error;
}

test.each(databases)(
  '$name: teams from before creators were recorded count for their only owner, and for nobody if they have several',
  async ({ open }) => {
    const { db, close } = await open((empty) => migrateTo(empty, '0027-service-events'));
    try {
      for (const id of ['ada', 'bob']) {
        const account = { id, user_name: id, display_name: id, email: `${id}@example.org`, created_at: 1 };
        await db.insertInto('accounts').values(account).execute();
      }
      for (const [id, kind, owners] of [
        ['own', 'personal', ['ada']],
        ['hers', 'team', ['ada']],
        ['theirs', 'team', ['ada', 'bob']],
      ] as const) {
        await db
          .insertInto('namespaces')
          .values({ id, slug: id, display_name: id, kind, created_at: 1 })
          .execute();
        const memberships = owners.map((account_id) => ({
          namespace_id: id,
          account_id,
          role: 'owner' as const,
        }));
        await db.insertInto('memberships').values(memberships).execute();
      }
      await migrate(db);
      const creators = await db.selectFrom('namespaces').select(['id', 'created_by']).orderBy('id').execute();
      expect(creators).toEqual([
        { id: 'hers', created_by: 'ada' },
        { id: 'own', created_by: null },
        { id: 'theirs', created_by: null },
      ]);
    } finally {
      await close();
    }
  },
);
