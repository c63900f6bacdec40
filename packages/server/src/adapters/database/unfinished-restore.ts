import { existsSync } from 'node:fs';
import { sql } from 'kysely';
import type { Database } from '../../database/schema.ts';
import { StartError } from '../../errors.ts';

/** The table that marks a PostgreSQL database as one to which a restore is still writing. */
export const RESTORING_TABLE = 'bindery_restoring';

/** Returns where an embedded database is while it is being restored. */
export function restoringFile(databaseFile: string): string {
  return `${databaseFile}.restoring`;
}

/** Throws `StartError` if a restore into the data folder was interrupted, or is running. */
export function requireRestoredFile(databaseFile: string): void {
  if (existsSync(restoringFile(databaseFile))) throw unfinished(restoringFile(databaseFile));
}

/** Throws `StartError` if a restore into a PostgreSQL database was interrupted, or is running. */
export async function requireRestoredPostgres(db: Database, place: string): Promise<void> {
  if (await isRestoring(db)) throw unfinished(place);
}

/** Whether a PostgreSQL database is marked. */
export async function isRestoring(db: Database): Promise<boolean> {
  const found = await sql`select 1 from pg_tables
    where schemaname = current_schema() and tablename = ${RESTORING_TABLE}`.execute(db);
  return found.rows.length > 0;
}

function unfinished(place: string): StartError {
  return new StartError(
    `${place} comes from a restore that has not finished, so it cannot be used. Run the same "bindery admin restore" ` +
      'again: it continues, and verifies what is already there.',
  );
}
