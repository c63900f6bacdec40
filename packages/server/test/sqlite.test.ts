import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqlite } from '../src/adapters/database/sqlite.ts';
import { migrate } from '../src/database/migrate.ts';
import type { Database } from '../src/database/schema.ts';

const WRITER = `
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(process.argv[1]);
  database.exec("begin immediate; insert into settings (key, value) values ('other', 'process')");
  process.send('holding');
  process.on('message', () => { database.exec('commit'); process.exit(0); });
`;

let folder: string;
let file: string;
let db: Database;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bindery-sqlite-'));
  file = join(folder, 'bindery.db');
  db = openSqlite(file);
  await migrate(db);
});
afterEach(async () => {
  await db.destroy();
  await rm(folder, { recursive: true });
});

async function settings(on: Database = db): Promise<string[]> {
  const rows = await on.selectFrom('settings').select('key').orderBy('key').execute();
  return rows.map(({ key }) => key);
}

const set = (key: string, value = 'x') => db.insertInto('settings').values({ key, value }).execute();

/** Bytes of the log from which it is copied into the database. */
const COPIED_FROM = 8 * 1024 * 1024;

/** Another process in the middle of a write. */
async function otherWriter(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', WRITER, file], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return child;
}

test('a write waits for a write of another process without blocking reads or the event loop', async () => {
  const other = await otherWriter();
  let finished = false;
  const writes = Promise.all([
    set('alone'),
    db.transaction().execute((trx) => trx.selectFrom('settings').selectAll().execute()),
  ]);
  const waiting = writes.then(() => {
    finished = true;
  });
  await sleep(100);
  expect(finished).toBe(false);
  expect(await settings()).toEqual([]);
  other.send('commit');
  await waiting;
  expect(await settings()).toEqual(['alone', 'other']);
});

test('committed rows are still there after the database is closed and opened again', async () => {
  await Promise.all(['a', 'b', 'c'].map((key) => set(key)));
  await db.destroy();
  db = openSqlite(file);
  expect(await settings()).toEqual(['a', 'b', 'c']);
});

test('closing the database waits for writes that have started', async () => {
  const writes = Promise.all(['a', 'b'].map((key) => set(key)));
  await writes;
  const late = set('late');
  await Promise.resolve();
  await Promise.allSettled([late, db.destroy()]);
  db = openSqlite(file);
  expect(await settings()).toEqual(['a', 'b', 'late']);
});

test('the write-ahead log is checkpointed during writes and stays below 50 MiB', async () => {
  const megabyte = 'x'.repeat(1024 * 1024);
  const copied = async () => (await stat(file)).mtimeMs;
  let written = 0;
  const copiedAfterAWrite = async () => {
    await set(`small ${written++}`);
    return copied();
  };
  let before = await copied();
  for (let at = 0; at < 60; at++) {
    await db
      .insertInto('settings')
      .values({ key: 'large', value: megabyte })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: `${at}${megabyte}` }))
      .execute();
    // Whatever else the machine does, the log is taken over before the next ten.
    if (at % 10 === 9 && (await stat(`${file}-wal`)).size >= COPIED_FROM) {
      await expect.poll(copiedAfterAWrite).toBeGreaterThan(before);
      before = await copied();
    }
  }
  expect((await stat(`${file}-wal`)).size).toBeLessThan(50 * 1024 * 1024);
});

test('an in-memory database works too', async () => {
  const memory = openSqlite(':memory:');
  await migrate(memory);
  await memory.insertInto('settings').values({ key: 'motto', value: 'x' }).execute();
  await memory.transaction().execute((trx) => trx.deleteFrom('settings').execute());
  expect(await settings(memory)).toEqual([]);
  await memory.destroy();
});
