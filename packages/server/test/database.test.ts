import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isUniqueViolation } from '../src/database/failures.ts';
import { databases, type TestDatabase } from './databases.ts';

describe.each(databases)('the database $name', ({ open }) => {
  let opened: TestDatabase;
  let db: TestDatabase['db'];

  beforeAll(async () => {
    opened = await open();
    db = opened.db;
  });
  beforeEach(() => db.deleteFrom('attempts').execute());
  afterAll(() => opened.close());

  const insert = (on: typeof db, key: string, count = 0) =>
    on.insertInto('attempts').values({ key, window_started_at: 0, count }).execute();

  async function counts(on: typeof db = db): Promise<Record<string, number>> {
    const rows = await on.selectFrom('attempts').select(['key', 'count']).execute();
    return Object.fromEntries(rows.map(({ key, count }) => [key, count]));
  }

  test('a write can be read back at once', async () => {
    for (let at = 0; at < 50; at++) {
      await insert(db, `row ${at}`, at);
      expect((await counts())[`row ${at}`]).toBe(at);
    }
  });

  test('large integers are returned as numbers', async () => {
    const large = Number.MAX_SAFE_INTEGER;
    await db.insertInto('attempts').values({ key: 'large', window_started_at: large, count: 0 }).execute();
    const row = await db.selectFrom('attempts').select('window_started_at').executeTakeFirstOrThrow();
    expect(row.window_started_at).toBe(large);
  });

  test('a transaction is visible to others only after it commits', async () => {
    const { promise: inside, resolve: enter } = Promise.withResolvers<void>();
    const { promise: mayCommit, resolve: allow } = Promise.withResolvers<void>();
    const writing = db.transaction().execute(async (trx) => {
      await insert(trx, 'draft');
      expect(await counts(trx)).toEqual({ draft: 0 });
      enter();
      await mayCommit;
    });
    await inside;
    expect(await counts()).toEqual({});
    allow();
    await writing;
    expect(await counts()).toEqual({ draft: 0 });
  });

  test('a failed transaction is rolled back, and the next one works', async () => {
    const failing = db.transaction().execute(async (trx) => {
      await insert(trx, 'first');
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await counts()).toEqual({});
    await db.transaction().execute((trx) => insert(trx, 'second'));
    expect(await counts()).toEqual({ second: 0 });
  });

  test('a unique violation is reported as such and rolls back its transaction', async () => {
    await insert(db, 'taken');
    await expect(insert(db, 'taken')).rejects.toSatisfy(isUniqueViolation);
    const refused = db.transaction().execute(async (trx) => {
      await insert(trx, 'beside');
      await insert(trx, 'taken');
    });
    await expect(refused).rejects.toSatisfy(isUniqueViolation);
    expect(await counts()).toEqual({ taken: 0 });
  });

  test('concurrent increments are all counted', async () => {
    await insert(db, 'counter');
    await Promise.all(
      Array.from({ length: 100 }, () =>
        db
          .updateTable('attempts')
          .set((eb) => ({ count: eb('count', '+', 1) }))
          .where('key', '=', 'counter')
          .execute(),
      ),
    );
    expect(await counts()).toEqual({ counter: 100 });
  });

  test('exactly one of many concurrent transactions that swap the same value wins', async () => {
    await insert(db, 'revision', 1);
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, () =>
        db.transaction().execute(async (trx) => {
          await trx.selectFrom('attempts').selectAll().execute();
          const { numUpdatedRows } = await trx
            .updateTable('attempts')
            .set({ count: 2 })
            .where('key', '=', 'revision')
            .where('count', '=', 1)
            .executeTakeFirstOrThrow();
          return Number(numUpdatedRows);
        }),
      ),
    );
    expect(outcomes.filter((changed) => changed === 1)).toHaveLength(1);
    expect(await counts()).toEqual({ revision: 2 });
  });

  test('an insert can return its row, and raw SQL runs', async () => {
    const { count } = await db
      .insertInto('attempts')
      .values({ key: 'returned', window_started_at: 0, count: 7 })
      .returning('count')
      .executeTakeFirstOrThrow();
    expect(count).toBe(7);
    const { rows } = await sql<{ total: number }>`select count(*) as total from attempts`.execute(db);
    expect(Number(rows[0]?.total)).toBe(1);
  });
});
