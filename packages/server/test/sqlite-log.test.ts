import { copyFile, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sqliteRestorer } from '../src/adapters/database/dump-sqlite.ts';
import { DatabaseDamaged, openSqlite, requireIntactSqlite } from '../src/adapters/database/sqlite.ts';
import { migrate } from '../src/database/migrate.ts';
import type { Database } from '../src/database/schema.ts';

/** More than fits into the log before it is copied into the database. */
const LARGE = 'x'.repeat(9 * 1024 * 1024);

let folder: string;
let file: string;
let db: Database;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bindery-log-'));
  file = join(folder, 'bindery.db');
  db = openSqlite(file);
  await migrate(db);
});
afterEach(async () => {
  await db.destroy();
  await rm(folder, { recursive: true });
});

const set = (key: string, value = 'x') => db.insertInto('settings').values({ key, value }).execute();

/** Copies the database and its log as a killed process leaves them, and returns the database's path. */
async function crashed(name: string): Promise<string> {
  const copy = join(folder, name, 'bindery.db');
  await mkdir(join(folder, name));
  for (const suffix of ['', '-wal']) await copyFile(file + suffix, copy + suffix);
  return copy;
}

/** Copies the database into the log, as the service does from time to time; the log then begins anew. */
async function checkpoint(): Promise<void> {
  const before = await readFile(file);
  await set(`large ${Math.random()}`, LARGE);
  await expect.poll(async () => (await readFile(file)).equals(before), { timeout: 60_000 }).toBe(false);
  await db.destroy();
  db = openSqlite(file);
}

async function settingsOf(path: string): Promise<string[]> {
  const opened = openSqlite(path);
  try {
    const rows = await opened.selectFrom('settings').select('key').orderBy('key').execute();
    return rows.map(({ key }) => key);
  } finally {
    await opened.destroy();
  }
}

test('a database whose process was killed opens with its own log, however often the log began anew', async () => {
  for (const round of [1, 2, 3]) {
    await set(`round ${round}`);
    const path = await crashed(`crash ${round}`);
    requireIntactSqlite(path);
    expect(await settingsOf(path)).toContain(`round ${round}`);
    await checkpoint();
  }
});

test('a restore is refused beside the log of a database that was moved away', async () => {
  await set('here');
  const path = await crashed('crash');
  await rm(path);
  await expect(sqliteRestorer(path).prepare()).rejects.toThrow(
    /bindery\.db-wal belongs to a database that is not there/,
  );
  expect(await readdir(join(folder, 'crash'))).toEqual(['bindery.db-wal']);
});

test('a locked database is reported as locked, a file that is no database as damaged', async () => {
  await db.destroy();
  const other = new DatabaseSync(file);
  other.exec('pragma locking_mode = exclusive; begin exclusive');
  try {
    expect(() => requireIntactSqlite(file)).toThrow(/cannot be used: another program holds a lock on it/);
  } finally {
    other.close();
  }
  await copyFile(import.meta.filename, file);
  expect(() => requireIntactSqlite(file)).toThrow(DatabaseDamaged);
}, 60_000);
