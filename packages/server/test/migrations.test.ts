import { expect, test } from 'vitest';
import { migrate } from '../src/database/migrate.ts';
import { databases } from './databases.ts';

test.each(databases)('$name: migrations may run again and keep what is stored', async ({ open }) => {
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
