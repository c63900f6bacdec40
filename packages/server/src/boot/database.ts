import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { requireRestoredFile, requireRestoredPostgres } from '../adapters/database/unfinished-restore.ts';
import { markFile, readMark, writeMark } from '../adapters/objects/disk/disk-space.ts';
import { DiskObjectFolder } from '../adapters/objects/disk/object-folder.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { DatabaseUnreachable, sqliteReason } from '../database/failures.ts';
import { migrate, pendingMigrations } from '../database/migrate.ts';
import type { Database } from '../database/schema.ts';
import { getOrCreateSetting, readSetting } from '../database/settings.ts';
import { StartError } from '../errors.ts';
import { dataFolderLayout } from '../process/data-folder.ts';

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

/** Throws `StartError` if a data folder's database is being restored, or is missing although its objects are there. */
export async function requireDatabaseOfObjects(dataDir: string): Promise<void> {
  const { path, databaseFile, objects } = dataFolderLayout(dataDir);
  requireRestoredFile(databaseFile);
  if (existsSync(databaseFile) || (await new DiskObjectFolder(objects).stores()).length === 0) return;
  throw new StartError(
    `The data folder ${path} holds files of libraries, but its database is missing. Put ${databaseFile} back, or ` +
      'restore a backup with "bindery admin restore".',
  );
}

/** The setting that holds the id in the mark of the folder of objects. */
const MARK = 'store_id';

/**
 * Returns the id in the mark of a folder of objects. Throws `StartError` if the folder is not that of the database,
 * which is so where its disk is not mounted. `markNew` marks the folder of a database that does not know a mark;
 * otherwise null is returned for one.
 */
export async function requireObjectsOfDatabase(
  db: Database,
  folder: string,
  { markNew }: { markNew: boolean },
): Promise<string | null> {
  const known = await readSetting(db, MARK);
  const found = await readMark(folder);
  if (known === null) {
    if (!markNew) return null;
    // The folder first: a database whose folder has no mark could not be used.
    if (found === null) await writeMark(folder, randomUUID());
    await getOrCreateSetting(db, MARK, async () => String(await readMark(folder)));
    return requireObjectsOfDatabase(db, folder, { markNew: false });
  }
  if (known === found) return found;
  const file = markFile(folder);
  throw new StartError(
    found === null
      ? `The folder ${folder} is not the one that this database stores its files in: ${file} is missing. Mount the disk that holds it, or ` +
          `correct BINDERY_DATA_DIR. If its files are lost, write ${known} to ${file} to start without them, or restore a backup.`
      : `The folder ${folder} belongs to another database: ${file} should contain ${known}. Correct BINDERY_DATA_DIR or BINDERY_DATABASE_URL.`,
  );
}

/** Marks a folder that objects of a database are copied to. Throws `StartError` if it is that of another database. */
export async function markCopy(db: Database, folder: string): Promise<void> {
  const known = await readSetting(db, MARK);
  if (known === null) return;
  if ((await readMark(folder)) === null) await writeMark(folder, known);
  await requireObjectsOfDatabase(db, folder, { markNew: false });
}

/**
 * Migrates the database to the newest schema and returns the names of the migrations that were applied. Throws
 * `StartError`, naming `place` and what to do.
 */
export async function prepareDatabase(db: Database, place: string): Promise<string[]> {
  return withStartErrors(place, () => migrate(db));
}

/** Throws `StartError` if migrations must be applied first, or the database cannot be used. */
async function requireMigrated(db: Database, place: string): Promise<void> {
  const pending = await withStartErrors(place, () => pendingMigrations(db));
  if (pending.length === 0) return;
  throw new StartError(
    `${place} is missing ${pending.length} of the migrations that this version needs (the newest is ${pending.at(-1)}). ` +
      'Apply them once for all servers, with this version: bindery admin migrate',
  );
}

/** Runs `work` and throws failures as `StartError`, naming `place` and what to do. */
export async function withStartErrors<Result>(place: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`${place} cannot be used: ${reasonOf(error)}.`, { cause: error });
  }
}

function reasonOf(failure: unknown): string {
  const error = failure instanceof DatabaseUnreachable ? failure.cause : failure;
  const { code, message, errors } = error as { code?: string; message: string; errors?: Error[] };
  switch (code) {
    case 'ECONNREFUSED':
    case 'ENOTFOUND':
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
      return `nothing answers there (${code}); check BINDERY_DATABASE_URL and that the server runs`;
    case '28P01':
    case '28000':
      return 'it rejects the user or the password; check BINDERY_DATABASE_URL';
    case '3D000':
      return 'it has no such database; create it first, or check BINDERY_DATABASE_URL';
    default:
      return sqliteReason(error) ?? (message || errors?.[0]?.message || String(code));
  }
}
