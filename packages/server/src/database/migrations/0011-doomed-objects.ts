import { type Kysely, sql } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/**
 * Records objects that are about to be deleted, so that no process deletes what another one publishes. Code that does
 * not know about them must not run alongside code that does.
 */
async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('doomed_objects')
    .addColumn('store_id', 'text', (c) => c.notNull())
    .addColumn('sha256', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull().check(sql`state in ('leased', 'pending', 'deleting')`))
    .addColumn('since', 'bigint', (c) => c.notNull())
    .addColumn('deleter', 'text')
    .addPrimaryKeyConstraint('doomed_objects_key', ['store_id', 'sha256'])
    .execute();
  await schema
    .createIndex('doomed_objects_by_state')
    .on('doomed_objects')
    .columns(['store_id', 'state', 'sha256'])
    .execute();
  await schema
    .createIndex('doomed_objects_by_time')
    .on('doomed_objects')
    .columns(['state', 'since'])
    .execute();

  for (const counter of ['deletions', 'reclaim_marks']) {
    await schema
      .alterTable('library_names')
      .addColumn(counter, 'bigint', (c) => c.notNull().defaultTo(0))
      .execute();
  }
}

export const doomedObjects: SchemaChange = { up };
