import { type Kysely, sql } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

export const READERS = '0022-readers';

/**
 * Adds a third role: members of a namespace who can only read. SQLite cannot change the constraints of a table, so the
 * table is recreated.
 */
async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('memberships_with_readers')
    .addColumn('namespace_id', 'text', (c) => c.notNull().references('namespaces.id').onDelete('cascade'))
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('role', 'text', (c) => c.notNull().check(sql`role in ('owner', 'member', 'reader')`))
    .addPrimaryKeyConstraint('memberships_with_readers_key', ['namespace_id', 'account_id'])
    .execute();
  await sql`insert into memberships_with_readers select namespace_id, account_id, role from memberships`.execute(
    db,
  );
  await schema.dropTable('memberships').execute();
  await schema.alterTable('memberships_with_readers').renameTo('memberships').execute();
  await schema
    .createIndex('memberships_by_account')
    .on('memberships')
    .columns(['account_id', 'namespace_id'])
    .execute();
}

/** Older code treats a reader as a member, so it can run until there is one. */
export const readers: SchemaChange = { up, runsFrom: '0021-audit-log' };
