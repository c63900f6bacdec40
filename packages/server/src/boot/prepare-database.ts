import { DatabaseUnreachable, sqliteReason } from '../database/failures.ts';
import { migrate, pendingMigrations } from '../database/migrate.ts';
import type { Database } from '../database/schema.ts';
import { StartError } from '../process/start-error.ts';

/**
 * Migrates the database to the newest schema and returns the names of the migrations that were applied. Throws
 * `StartError`, naming `place` and what to do.
 */
export async function prepareDatabase(db: Database, place: string): Promise<string[]> {
  return withStartErrors(place, () => migrate(db));
}

/** Throws `StartError` if migrations must be applied first, or the database cannot be used. */
export async function requireMigrated(db: Database, place: string): Promise<void> {
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
