import { sql } from 'kysely';
import { ServiceError } from '../errors.ts';
import type { Parts } from '../parts.ts';

/** Resolves when the database and the store answer; otherwise throws `unavailable`, naming the one that does not. */
export async function checkReadiness({
  db,
  objects,
  log,
}: Pick<Parts, 'db' | 'objects' | 'log'>): Promise<void> {
  await reach('database', () => sql`select 1`.execute(db));
  await reach('object store', () => objects.check());

  async function reach(what: string, probe: () => Promise<unknown>): Promise<void> {
    try {
      await probe();
    } catch (error) {
      log.warn({ err: error }, `the ${what} cannot be reached`);
      throw new ServiceError('unavailable', `The ${what} cannot be reached.`);
    }
  }
}
