import { type Kysely, sql } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/**
 * Records who administers the service. If there are accounts already, the oldest becomes an operator: it was created by
 * whoever set the service up.
 */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('accounts')
    .addColumn('operator', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await sql`update accounts set operator = 1
    where id = (select id from accounts order by created_at, id limit 1)`.execute(db);
}

export const operators: SchemaChange = { up, runsFrom: '0012-login-names' };
