import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openPostgres } from '../src/adapters/database/postgres.ts';
import { openSqlite } from '../src/adapters/database/sqlite.ts';
import { migrate } from '../src/database/migrate.ts';
import type { Database } from '../src/database/schema.ts';

export interface TestDatabase {
  db: Database;
  close(): Promise<void>;
}

export interface LocatedDatabase extends TestDatabase {
  /** The file of SQLite, the URL of PostgreSQL. */
  location: string;
}

/** Every database that the service runs on, by name; each `open` answers a new, empty one, migrated by `prepare`. */
export const databases: TestedDatabase[] = [
  { name: 'SQLite', open: openTestSqlite, reopen: openSqlite },
  ...(process.env.BINDERY_TEST_POSTGRES
    ? [{ name: 'PostgreSQL', open: openTestPostgres, reopen: openPostgres }]
    : []),
];

interface TestedDatabase {
  name: string;
  open(prepare?: Prepare): Promise<LocatedDatabase>;
  /** Opens one that there is already once more, as another process does. */
  reopen(location: string): Database;
}

type Prepare = (db: Database) => Promise<unknown>;

let migratedFile: Promise<string> | undefined;

export async function openTestSqlite(prepare: Prepare = migrate): Promise<LocatedDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-sqlite-'));
  const file = join(folder, 'bindery.db');
  migratedFile ??= makeMigratedFile();
  if (prepare === migrate) await copyFile(await migratedFile, file);
  const db = openSqlite(file);
  if (prepare !== migrate) await prepare(db);
  return {
    db,
    location: file,
    close: async () => {
      await db.destroy();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Migrates once for all files of this process; the run's temporary folder takes it away. */
async function makeMigratedFile(): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'bindery-sqlite-migrated-')), 'bindery.db');
  const db = openSqlite(file);
  await migrate(db);
  await db.destroy();
  return file;
}

async function openTestPostgres(prepare: Prepare = migrate): Promise<LocatedDatabase> {
  const server = process.env.BINDERY_TEST_POSTGRES ?? '';
  const name = `bindery_${randomBytes(6).toString('hex')}`;
  // The first template is migrated already, the other is empty.
  await administer(
    server,
    `create database ${name} template ${prepare === migrate ? 'template1' : 'template0'}`,
  );
  const url = new URL(server);
  url.pathname = `/${name}`;
  const db = openPostgres(url.href);
  await prepare(db);
  return {
    db,
    location: url.href,
    close: async () => {
      await db.destroy();
      await administer(server, `drop database ${name} with (force)`);
    },
  };
}

async function administer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
