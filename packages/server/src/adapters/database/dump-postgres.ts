import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { neutralEnvironment } from '@bindery/concurrency';
import { sql } from 'kysely';
import pg from 'pg';
import { storedLibraries } from '../../backup/library-objects.ts';
import type { DatabaseDumper, DatabaseRestorer } from '../../backup/ports.ts';
import type { Database } from '../../database/schema.ts';
import { StartError } from '../../errors.ts';
import { advisoryKey, CONNECT_TIMEOUT, openPostgres } from './postgres.ts';
import { isRestoring, RESTORING_TABLE } from './unfinished-restore.ts';

const FORMAT = 'postgresql';

/** Dumps a consistent snapshot of a PostgreSQL database with `pg_dump`; the service can keep writing meanwhile. */
export function postgresDumper(url: string): DatabaseDumper {
  return {
    format: FORMAT,
    dump: async (file) => {
      const db = openPostgres(url);
      try {
        return await db
          .transaction()
          .setIsolationLevel('repeatable read')
          .execute(async (trx) => {
            const { rows } = await sql<{ id: string }>`select pg_export_snapshot() as id`.execute(trx);
            const snapshot = rows[0]?.id ?? '';
            await run(
              url,
              'pg_dump',
              ['--format=custom', '--no-owner', '--no-privileges'],
              [`--snapshot=${snapshot}`, `--file=${file}`],
            );
            return storedLibraries(trx);
          });
      } finally {
        await db.destroy();
      }
    },
  };
}

/** Restores a dump into an empty PostgreSQL database, which is marked by a table until everything is restored. */
export function postgresRestorer(url: string): DatabaseRestorer {
  let lock: RestoreLock | null = null;
  return {
    format: FORMAT,
    prepare: async () => {
      lock = await lockForRestore(url);
      const db = openPostgres(url);
      try {
        await db.transaction().execute((trx) => clearForRestore(trx, url));
      } finally {
        await db.destroy();
      }
    },
    restore: async (file) => {
      await run(
        url,
        'pg_restore',
        ['--no-owner', '--no-privileges', '--single-transaction'],
        ['--exit-on-error', file],
      );
      return url;
    },
    finish: async (trx) => {
      lock?.requireHeld();
      await trx.schema.dropTable(RESTORING_TABLE).execute();
    },
    publish: async () => {},
    release: async () => lock?.release(),
  };
}

/** Drops the tables of an interrupted restore, and marks the database. Throws `StartError` if it has other tables. */
async function clearForRestore(trx: Database, url: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = current_schema()`.execute(trx);
  if (rows.length > 0 && !(await isRestoring(trx))) {
    throw new StartError(
      `The PostgreSQL database at ${new URL(url).host} already has tables. Restore into an empty one.`,
    );
  }
  for (const { name } of rows) await trx.schema.dropTable(name).cascade().execute();
  await trx.schema
    .createTable(RESTORING_TABLE)
    .addColumn('since', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
    .execute();
}

/** The variables by which operators set up the client programs of PostgreSQL. */
function clientSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('PG')));
}

/** Runs a PostgreSQL client program. The password is passed in the environment, which other users cannot see. */
async function run(url: string, program: string, ...options: string[][]): Promise<void> {
  const address = new URL(url);
  const password = decodeURIComponent(address.password);
  address.password = '';
  try {
    await promisify(execFile)(program, [`--dbname=${address.href}`, ...options.flat()], {
      env: { ...neutralEnvironment(), ...clientSettings(), ...(password && { PGPASSWORD: password }) },
    });
  } catch (error) {
    const { code, stderr } = error as { code?: string; stderr?: string };
    throw new StartError(
      code === 'ENOENT'
        ? `${program} is not installed. Install the client programs of PostgreSQL.`
        : `${program} failed: ${stderr?.trim() || String(error)}`,
      { cause: error },
    );
  }
}

/** Keeps other restores out of a PostgreSQL database as long as its session lasts. */
export interface RestoreLock {
  /** Throws `StartError` if the session has broken, since another restore may have begun then. */
  requireHeld(): void;
  release(): Promise<void>;
}

/** Throws `StartError` if another restore into this database is running. */
export async function lockForRestore(url: string): Promise<RestoreLock> {
  const client = new pg.Client({
    connectionString: url,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
  });
  let broken = false;
  for (const event of ['error', 'end'] as const) {
    client.on(event, () => {
      broken = true;
    });
  }
  await client.connect();
  try {
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [
      advisoryKey('restore'),
    ]);
    if (!rows[0]?.held) throw isRunning(url);
  } catch (error) {
    await client.end();
    throw error;
  }
  return {
    requireHeld: () => {
      if (broken) throw new StartError('The connection that keeps other restores out broke. Restore again.');
    },
    release: () => client.end(),
  };
}

function isRunning(url: string): StartError {
  return new StartError(
    `Another restore into the PostgreSQL database at ${new URL(url).host} is running. Wait for it, or stop it and restore again.`,
  );
}
