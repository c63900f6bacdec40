import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Ties tokens to the sign-in that they came from, lets accounts be disabled, and records where accounts signed in from.
 * Existing service tokens belong to no sign-in and become invalid; personal ones stay valid.
 */
async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('accounts').addColumn('disabled_at', 'bigint').execute();
  await schema
    .alterTable('accounts')
    .addColumn('logins_ended', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();

  await schema
    .createTable('token_families')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('signed_in_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
  await schema.createIndex('token_families_by_account').on('token_families').column('account_id').execute();
  await schema.createIndex('token_families_by_time').on('token_families').column('expires_at').execute();

  await schema
    .alterTable('personal_access_tokens')
    .addColumn('family_id', 'text', (c) => c.references('token_families.id').onDelete('cascade'))
    .execute();
  await schema
    .createIndex('personal_access_tokens_by_family')
    .on('personal_access_tokens')
    .column('family_id')
    .execute();
  await schema
    .alterTable('device_requests')
    .addColumn('family_id', 'text', (c) => c.references('token_families.id').onDelete('set null'))
    .execute();
  await schema.createIndex('device_requests_by_family').on('device_requests').column('family_id').execute();

  await schema
    .createTable('sign_in_origins')
    .addColumn('account', 'text', (c) => c.notNull())
    .addColumn('caller', 'text', (c) => c.notNull())
    .addColumn('signed_in_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('sign_in_origins_key', ['account', 'caller'])
    .execute();
  await schema.createIndex('sign_in_origins_by_time').on('sign_in_origins').column('signed_in_at').execute();
}

export const tokenFamilies: Migration = { up };
