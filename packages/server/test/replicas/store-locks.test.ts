import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createPostgresLocks } from '../../src/adapters/locks/postgres.ts';
import type { Database } from '../../src/database/schema.ts';
import { startBlackholeProxy } from './blackhole-proxy.ts';
import { postgres } from './replicas.ts';

describe.skipIf(postgres === null)('a lock across all servers', () => {
  test('is released once the database can be reached again, and failed work does not wait for that', async () => {
    if (postgres === null) return;
    const database = await postgres.open();
    const proxy = await startBlackholeProxy(database.location);
    const [cutOff, other] = [createPostgresLocks(proxy.url), createPostgresLocks(database.location)];
    onTestFinished(async () => {
      for (const one of [cutOff, other, proxy, database]) await one.close();
    });
    let holder: number | undefined;
    const failing = cutOff.withLock('lab', async () => {
      holder = await lockHolder(database.db);
      proxy.setBlackhole(true);
      throw new Error('The work failed.');
    });
    await expect(failing).rejects.toThrow('The work failed.');
    proxy.setBlackhole(false);
    await other.withLock('lab', async () => {});
    // The same session as before: waiting for the answer would have given it up first.
    expect(await cutOff.withLock('lab', () => lockHolder(database.db))).toBe(holder);
  });
});

/** The process of PostgreSQL that serves the session with the only lock. */
async function lockHolder(db: Database): Promise<number | undefined> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_locks where locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())
  `.execute(db);
  expect(rows).toHaveLength(1);
  return rows[0]?.pid;
}
