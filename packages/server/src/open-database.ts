import { existsSync } from 'node:fs';
import type { Configuration } from './configuration.ts';
import type { Database } from './database/schema.ts';
import { dataFolderLayout } from './service/data-folder.ts';
import { prepareDatabase, requireMigrated } from './service/prepare-database.ts';
import { StartError } from './service/start-error.ts';

/** Whether several servers can use the database of a configuration. */
export function mayHaveReplicas({ databaseUrl, s3 }: Pick<Configuration, 'databaseUrl' | 's3'>): boolean {
  return databaseUrl !== null && s3 !== null;
}

/**
 * Opens the database of a configuration, ready for use; the caller closes it. If it can have replicas, its schema must
 * be the newest already; otherwise it is migrated. Throws `StartError`.
 */
export async function openPreparedDatabase(
  configuration: Configuration,
  databaseFile: string,
): Promise<Database> {
  if (!mayHaveReplicas(configuration)) return openMigratedDatabase(configuration, databaseFile);
  const place = describeDatabase(configuration, databaseFile);
  return openWith(configuration, databaseFile, (db) => requireMigrated(db, place));
}

/**
 * Opens the database of a configuration and migrates it to the newest schema; the caller closes it. Throws
 * `StartError`.
 */
export async function openMigratedDatabase(
  configuration: Configuration,
  databaseFile: string,
): Promise<Database> {
  const { databaseUrl } = configuration;
  const place = describeDatabase(configuration, databaseFile);
  const migrate = (db: Database) => prepareDatabase(db, place);
  if (databaseUrl === null) return openWith(configuration, databaseFile, migrate);
  const migrating = await openForMigrations(configuration, databaseFile);
  try {
    await migrate(migrating);
  } finally {
    await migrating.destroy();
  }
  return openDatabase(configuration, databaseFile);
}

/** Opens the database with its present schema, in order to change it; the caller closes it. */
export async function openForMigrations({ databaseUrl }: Configuration, file: string): Promise<Database> {
  if (databaseUrl === null) return (await import('./adapters/database/sqlite.ts')).openSqlite(file);
  return (await import('./adapters/database/postgres.ts')).openPostgresForMigrations(databaseUrl);
}

/** Opens the database with its present schema; it need not be reachable. The caller closes it. */
export async function openDatabase({ databaseUrl }: Configuration, file: string): Promise<Database> {
  if (databaseUrl !== null)
    return (await import('./adapters/database/postgres.ts')).openPostgres(databaseUrl);
  return (await import('./adapters/database/sqlite.ts')).openSqlite(file);
}

/** Throws `StartError` if a configuration names an embedded database that does not exist. */
export function requireDatabaseFile({
  databaseUrl,
  dataDir,
}: Pick<Configuration, 'databaseUrl' | 'dataDir'>): void {
  const { databaseFile } = dataFolderLayout(dataDir);
  if (databaseUrl !== null || existsSync(databaseFile)) return;
  throw new StartError(
    `There is no database ${databaseFile}. Name the data folder of the service with --data-dir.`,
  );
}

/** Describes the database for operators, without the password of its URL. */
export function describeDatabase({ databaseUrl }: Configuration, file: string): string {
  return databaseUrl === null
    ? `The database ${file}`
    : `The PostgreSQL database at ${new URL(databaseUrl).host}`;
}

async function openWith(
  configuration: Configuration,
  databaseFile: string,
  prepare: (db: Database) => Promise<unknown>,
): Promise<Database> {
  const db = await openDatabase(configuration, databaseFile);
  try {
    await prepare(db);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
