import type { Configuration } from './configuration.ts';
import type { Database } from './database/schema.ts';
import { prepareDatabase } from './service/prepare-database.ts';

/** The database of a configuration at the newest schema; the caller closes it. Throws `StartError`. */
export async function openPreparedDatabase(
  configuration: Configuration,
  databaseFile: string,
): Promise<Database> {
  const place = describeDatabase(configuration, databaseFile);
  if (configuration.databaseUrl !== null) await migratePostgres(configuration.databaseUrl, place);
  const db = await openDatabase(configuration, databaseFile);
  try {
    if (configuration.databaseUrl === null) await prepareDatabase(db, place);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/** Over connections of its own: a migration takes however long it takes. */
async function migratePostgres(url: string, place: string): Promise<void> {
  const db = (await import('./adapters/database/postgres.ts')).openPostgres(url, { answerTimeout: null });
  try {
    await prepareDatabase(db, place);
  } finally {
    await db.destroy();
  }
}

/** The database as it is, which need not be reachable; the caller closes it. */
export async function openDatabase({ databaseUrl }: Configuration, file: string): Promise<Database> {
  if (databaseUrl !== null)
    return (await import('./adapters/database/postgres.ts')).openPostgres(databaseUrl);
  return (await import('./adapters/database/sqlite.ts')).openSqlite(file);
}

/** The database as an operator knows it, without the password of its URL. */
function describeDatabase({ databaseUrl }: Configuration, file: string): string {
  return databaseUrl === null
    ? `The database ${file}`
    : `The PostgreSQL database at ${new URL(databaseUrl).host}`;
}
