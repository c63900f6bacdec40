import { existsSync, statSync } from 'node:fs';
import { requireRestoredFile, requireRestoredPostgres } from '../adapters/database/unfinished-restore.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Database } from '../database/schema.ts';
import { dataFolderLayout } from '../process/data-folder.ts';
import { StartError } from '../process/start-error.ts';
import { prepareDatabase, requireMigrated, withStartErrors } from './prepare-database.ts';

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
  await requireRestored(configuration, databaseFile);
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
  if (databaseUrl === null) return (await import('../adapters/database/sqlite.ts')).openSqlite(file);
  return (await import('../adapters/database/postgres.ts')).openPostgresForMigrations(databaseUrl);
}

/** Opens the database with its present schema; it need not be reachable. The caller closes it. */
export async function openDatabase({ databaseUrl }: Configuration, file: string): Promise<Database> {
  if (databaseUrl !== null)
    return (await import('../adapters/database/postgres.ts')).openPostgres(databaseUrl);
  return (await import('../adapters/database/sqlite.ts')).openSqlite(file);
}

/** Throws `StartError` if a restore into the database of a configuration has not finished. */
export async function requireRestored(configuration: Configuration, databaseFile: string): Promise<void> {
  if (configuration.databaseUrl === null) return requireRestoredFile(databaseFile);
  const place = describeDatabase(configuration, databaseFile);
  const db = await openDatabase(configuration, databaseFile);
  try {
    await withStartErrors(place, () => requireRestoredPostgres(db, place));
  } finally {
    await db.destroy();
  }
}

/** Throws `StartError` if a configuration names an embedded database that does not exist. */
export function requireDatabaseFile({
  databaseUrl,
  dataDir,
}: Pick<Configuration, 'databaseUrl' | 'dataDir'>): void {
  const { path, databaseFile } = dataFolderLayout(dataDir);
  if (databaseUrl !== null || hasDatabaseFile(dataDir)) return;
  requireRestoredFile(databaseFile);
  throw new StartError(
    `There is no database ${databaseFile}: the folder ${path} holds no service. Name the data folder of the service ` +
      'with --data-dir or BINDERY_DATA_DIR.',
  );
}

/** Whether the database is in a data folder. Throws `StartError` if that cannot be known. */
export function hasDatabaseFile(dataDir: string): boolean {
  const { path: folder, databaseFile } = dataFolderLayout(dataDir);
  try {
    return statSync(databaseFile, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isDenied = code === 'EACCES' || code === 'EPERM';
    throw new StartError(
      isDenied
        ? `This user may not look into the data folder ${folder}. Run the command as the user of the service, or as root.`
        : `The data folder ${folder} cannot be used (${code}). Name that of the service with --data-dir or BINDERY_DATA_DIR.`,
      { cause: error },
    );
  }
}

/** Throws `StartError` if the data folder of a configuration, which holds the database or the objects, does not exist. */
export function requireDataFolder(
  configuration: Pick<Configuration, 'databaseUrl' | 'dataDir' | 's3'>,
): void {
  requireDatabaseFile(configuration);
  const { path } = dataFolderLayout(configuration.dataDir);
  if (configuration.s3 !== null || existsSync(path)) return;
  throw new StartError(
    `There is no data folder ${path}. Name the one of the service with --data-dir or BINDERY_DATA_DIR.`,
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
