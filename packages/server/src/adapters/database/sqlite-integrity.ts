import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../../service/start-error.ts';

/**
 * Throws `StartError` if the database file is damaged, so that nothing is written to a file that cannot be trusted.
 * Reads the whole file.
 */
export function requireIntactSqlite(file: string): void {
  const problem = problemOf(file);
  if (problem === null) return;
  throw new StartError(
    `The database ${file} is damaged (${problem}). Move it aside and restore a backup with "bindery admin restore".`,
  );
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
    return (error as Error).message;
  }
}
