import { DatabaseSync } from 'node:sqlite';
import { isSqliteDamage, sqliteReason } from '../../database/sqlite-failures.ts';
import { StartError } from '../../process/start-error.ts';
import { requireOwnLog } from './sqlite-log.ts';

/** The content of a database cannot be trusted. */
export class DatabaseDamaged extends StartError {
  constructor(file: string, problem: string, options?: ErrorOptions) {
    super(
      `The database ${file} is damaged (${problem}). Move it and the files beside it that begin with its name aside, and ` +
        'restore a backup with "bindery admin restore".',
      options,
    );
  }
}

/**
 * Throws `DatabaseDamaged` if the content of a database file is damaged, so that nothing is written to a file that
 * cannot be trusted, and another `StartError` if it cannot be read. Reads the whole file.
 */
export function requireIntactSqlite(file: string): void {
  requireOwnLog(file);
  const problem = problemOf(file);
  if (problem !== null) throw new DatabaseDamaged(file, problem);
}

function problemOf(file: string): string | null {
  try {
    const database = new DatabaseSync(file, { timeout: 10_000 });
    try {
      const found = database.prepare('pragma quick_check(1)').get();
      return found?.quick_check === 'ok' ? null : String(found?.quick_check);
    } finally {
      database.close();
    }
  } catch (error) {
    if (isSqliteDamage(error)) throw new DatabaseDamaged(file, (error as Error).message, { cause: error });
    const reason = sqliteReason(error) ?? (error as Error).message;
    throw new StartError(`The database ${file} cannot be used: ${reason}.`, { cause: error });
  }
}
