import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import type { DatabaseDumper, DatabaseRestorer } from '../../backup/ports.ts';
import { storedLibraries } from '../../backup/stored-library.ts';
import { StartError } from '../../service/start-error.ts';
import { openPostgres } from './postgres.ts';

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

/** Restores a dump into an empty PostgreSQL database, all or nothing. */
export function postgresRestorer(url: string): DatabaseRestorer {
  return {
    format: FORMAT,
    requireEmpty: async () => {
      const db = openPostgres(url);
      try {
        const { rows } = await sql`select 1 from pg_tables where schemaname = current_schema()`.execute(db);
        if (rows.length === 0) return;
      } finally {
        await db.destroy();
      }
      throw new StartError(
        `The PostgreSQL database at ${new URL(url).host} already has tables. Restore into an empty one.`,
      );
    },
    restore: (file) =>
      run(
        url,
        'pg_restore',
        ['--no-owner', '--no-privileges', '--single-transaction'],
        ['--exit-on-error', file],
      ),
  };
}

/** Runs a PostgreSQL client program. The password is passed in the environment, which other users cannot see. */
async function run(url: string, program: string, ...options: string[][]): Promise<void> {
  const address = new URL(url);
  const password = decodeURIComponent(address.password);
  address.password = '';
  try {
    await promisify(execFile)(program, [`--dbname=${address.href}`, ...options.flat()], {
      env: { ...process.env, ...(password && { PGPASSWORD: password }) },
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
