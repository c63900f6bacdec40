import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openPostgres } from '../../src/adapters/database/postgres.ts';
import { startBlackholeProxy } from './blackhole-proxy.ts';
import { postgres } from './replicas.ts';

const TIMEOUT = 200;

describe.skipIf(postgres === null)('a connection to PostgreSQL that stops responding', () => {
  test.each([
    ['in use', 0],
    ['idle for longer than the response timeout', 3 * TIMEOUT],
  ])('fails its query and is replaced after having been %s', async (_, idle) => {
    if (postgres === null) return;
    const database = await postgres.open();
    const proxy = await startBlackholeProxy(database.location);
    const db = openPostgres(proxy.url, { answerTimeout: TIMEOUT });
    onTestFinished(async () => {
      for (const close of [() => db.destroy(), () => proxy.close(), () => database.close()]) await close();
    });
    await sql`select 1`.execute(db);
    await wait(idle);
    proxy.setBlackhole(true);
    await expect(sql`select 2`.execute(db)).rejects.toThrow('did not answer');
    proxy.setBlackhole(false);
    expect((await sql`select 3 as three`.execute(db)).rows).toEqual([{ three: 3 }]);
  });
});
