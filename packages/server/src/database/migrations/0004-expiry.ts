import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds indexes that find expired rows without reading the others. */
async function up({ schema }: Kysely<unknown>): Promise<void> {
  const timeOf = {
    upload_receipts: 'received_at',
    multipart_uploads: 'expires_at',
    device_requests: 'expires_at',
    spent_tokens: 'expires_at',
    attempts: 'window_started_at',
    sign_in_sessions: 'expires_at',
  };
  for (const [table, column] of Object.entries(timeOf)) {
    await schema.createIndex(`${table}_by_time`).on(table).column(column).execute();
  }
}

export const expiry: Migration = { up };
