import { migrate } from '../database/migrate.ts';
import type { Database } from '../database/schema.ts';
import { DatabaseUnreachable } from '../database/unreachable.ts';
import { StartError } from './start-error.ts';

/** Reaches the database and brings it to the newest schema. Throws `StartError`, naming `place` and what to do. */
export async function prepareDatabase(db: Database, place: string): Promise<void> {
  try {
    await migrate(db);
  } catch (error) {
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
      return 'it refuses the user or the password; check BINDERY_DATABASE_URL';
    case '3D000':
      return 'it has no such database; create it first, or check BINDERY_DATABASE_URL';
    default:
      return message || errors?.[0]?.message || String(code);
  }
}
