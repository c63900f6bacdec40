import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgres } from '../src/adapters/database/postgres.ts';
import { databases, type LocatedDatabase } from './databases.ts';
import { startService, type TestService } from './service.ts';

const postgres = databases.find(({ name }) => name === 'PostgreSQL');

describe.skipIf(!postgres)('when PostgreSQL terminates all connections', () => {
  let database: LocatedDatabase;
  let service: TestService;
  beforeAll(async () => {
    if (!postgres) return;
    database = await postgres.open();
    const db = openPostgres(database.location);
    service = await startService({ database: { db, close: () => db.destroy() } });
  });
  afterAll(async () => {
    await service.close();
    await database.close();
  });

  const endAll = () =>
    sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(database.db);

  test('running queries and open transactions fail, and the service recovers', async () => {
    const { db } = service.context;
    const began = Promise.withResolvers<void>();
    const mayGoOn = Promise.withResolvers<void>();
    const inQuery = sql`select pg_sleep(60)`.execute(db);
    const inTransaction = db.transaction().execute(async (trx) => {
      await sql`select 1`.execute(trx);
      began.resolve();
      await mayGoOn.promise;
      await sql`select 1`.execute(trx);
    });
    const outcomes = Promise.allSettled([inQuery, inTransaction]);
    await began.promise;
    await expect.poll(sleeping).toBe(1);
    await endAll();
    await expect.poll(sleeping).toBe(0);
    mayGoOn.resolve();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    // Those that were idle are ended too, and one may be lent before its end is heard of.
    await expect.poll(async () => (await service.anonymous.get('/readyz')).status).toBe(200);
    await expect.poll(async () => (await service.anonymous.get('/libraries')).status).toBe(200);
  });

  async function sleeping(): Promise<number> {
    const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
      where datname = current_database() and query = 'select pg_sleep(60)' and state = 'active'`.execute(
      database.db,
    );
    return Number(rows[0]?.count);
  }
});

describe.skipIf(!postgres)('a failing statement', () => {
  test('reports what is wrong, with a stack trace that includes its caller', async () => {
    if (!postgres) return;
    const database = await postgres.open();
    try {
      const whoSentIt = async () => await sql`select nothing`.execute(database.db);
      const error: unknown = await whoSentIt().catch((failure: unknown) => failure);
      expect(error).toMatchObject({ message: 'column "nothing" does not exist', code: '42703' });
      expect((error as Error).stack).toContain('whoSentIt');
    } finally {
      await database.close();
    }
  });
});
