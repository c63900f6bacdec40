import { type Kysely, PostgresAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  // Names are ordered by their bytes on both databases: SQLite does so by default, PostgreSQL needs a collation.
  const name = db.getExecutor().adapter instanceof PostgresAdapter ? sql`text collate "C"` : sql`text`;

  await schema
    .createTable('projects')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('namespace_id', 'text', (c) => c.notNull().references('namespaces.id'))
    .addColumn('slug', 'text', (c) => c.notNull())
    .addColumn('display_name', name, (c) => c.notNull())
    .addColumn('search_text', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('visibility', 'text', (c) => c.notNull().check(sql`visibility in ('private', 'public')`))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('projects_by_slug', ['namespace_id', 'slug'])
    .execute();
  await schema
    .createIndex('projects_by_name')
    .on('projects')
    .columns(['namespace_id', 'display_name', 'id'])
    .execute();
  await schema
    .createIndex('projects_by_visibility')
    .on('projects')
    .columns(['namespace_id', 'visibility'])
    .execute();

  await schema
    .createTable('project_grants')
    .addColumn('project_id', 'text', (c) => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('role', 'text', (c) => c.notNull().check(sql`role in ('reader', 'writer', 'admin')`))
    .addPrimaryKeyConstraint('project_grants_key', ['project_id', 'account_id'])
    .execute();
  await schema
    .createIndex('project_grants_by_account')
    .on('project_grants')
    .columns(['account_id', 'project_id'])
    .execute();

  await schema
    .createTable('notes')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('namespace_id', 'text', (c) => c.notNull().references('namespaces.id'))
    .addColumn('name', name, (c) => c.notNull())
    .addColumn('search_text', 'text', (c) => c.notNull())
    .addColumn('visibility', 'text', (c) => c.notNull().check(sql`visibility in ('private', 'public')`))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  await schema.createIndex('notes_by_name').on('notes').columns(['namespace_id', 'name', 'id']).execute();
  await schema
    .createIndex('notes_by_visibility')
    .on('notes')
    .columns(['namespace_id', 'visibility'])
    .execute();

  await schema
    .createTable('nodes')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('project_id', 'text', (c) => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('note_id', 'text', (c) => c.notNull().references('notes.id').onDelete('cascade'))
    .addColumn('path', 'text', (c) => c.notNull())
    .addUniqueConstraint('nodes_by_note', ['note_id', 'project_id'])
    .execute();
  await schema.createIndex('nodes_by_project').on('nodes').columns(['project_id', 'note_id']).execute();

  await schema
    .createTable('bindrs')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('project_id', 'text', (c) => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('parent_id', 'text', (c) => c.references('bindrs.id').onDelete('cascade'))
    .addColumn('name', name, (c) => c.notNull())
    .addColumn('search_text', 'text', (c) => c.notNull())
    .execute();
  await schema.createIndex('bindrs_by_name').on('bindrs').columns(['project_id', 'name', 'id']).execute();
  await schema.createIndex('bindrs_by_parent').on('bindrs').column('parent_id').execute();

  await schema
    .createTable('bindr_members')
    .addColumn('bindr_id', 'text', (c) => c.notNull().references('bindrs.id').onDelete('cascade'))
    .addColumn('node_id', 'text', (c) => c.notNull().references('nodes.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('bindr_members_key', ['node_id', 'bindr_id'])
    .execute();
  await schema.createIndex('bindr_members_by_bindr').on('bindr_members').column('bindr_id').execute();
}

export const collaboration: Migration = { up };
