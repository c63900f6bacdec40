import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
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

/** Every database that the service runs on, by name; each `open` answers a new, empty one, migrated by `prepare`. */
export const databases: { name: string; open(prepare?: Prepare): Promise<TestDatabase> }[] = [
  { name: 'SQLite', open: openTestSqlite },
  ...(process.env.BINDERY_TEST_POSTGRES ? [{ name: 'PostgreSQL', open: openTestPostgres }] : []),
];

type Prepare = (db: Database) => Promise<void>;

export async function openTestSqlite(prepare: Prepare = migrate): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-sqlite-'));
  const db = openSqlite(join(folder, 'bindery.db'));
  await prepare(db);
  return {
    db,
    close: async () => {
      await db.destroy();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function openTestPostgres(prepare: Prepare = migrate): Promise<TestDatabase> {
  const server = process.env.BINDERY_TEST_POSTGRES ?? '';
  const name = `bindery_${randomBytes(6).toString('hex')}`;
  await administer(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const db = openPostgres(url.href);
  await prepare(db);
  return {
    db,
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
