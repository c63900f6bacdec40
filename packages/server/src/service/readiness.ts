import { sql } from 'kysely';
import { ServiceError } from '../errors.ts';
import type { Parts } from '../parts.ts';

/**
 * Resolves when the database and the store answer, to why uploads are refused or null. Throws `unavailable`, naming what
 * does not answer.
 */
export async function checkReadiness({
  db,
  objects,
  log,
}: Pick<Parts, 'db' | 'objects' | 'log'>): Promise<string | null> {
  await reach('database', () => sql`select 1`.execute(db));
  return reach('object store', () => objects.check());

  async function reach<Result>(what: string, probe: () => Promise<Result>): Promise<Result> {
    try {
      return await probe();
    } catch (error) {
      log.warn({ err: error }, `the ${what} cannot be reached`);
      const full = error instanceof ServiceError && error.code === 'storage_full';
      throw new ServiceError('unavailable', full ? error.message : `The ${what} cannot be reached.`);
    }
  }
}
