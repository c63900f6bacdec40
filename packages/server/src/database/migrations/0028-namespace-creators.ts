import { type Kysely, sql } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/**
 * Records which account created a team. Teams that exist already are their only owner's; those with several owners
 * count for nobody, as do those that a release creates which does not know about it.
 */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('namespaces').addColumn('created_by', 'text').execute();
  await sql`
    update namespaces set created_by = (
      select min(account_id) from memberships
      where memberships.namespace_id = namespaces.id and memberships.role = 'owner'
      having count(*) = 1
    ) where kind = 'team'
  `.execute(db);
  await db.schema.createIndex('namespaces_by_creator').on('namespaces').column('created_by').execute();
}

export const namespaceCreators: SchemaChange = { up, runsFrom: '0013-releases' };
