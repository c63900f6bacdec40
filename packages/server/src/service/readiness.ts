import { requireUsableSchema, SchemaTooNew } from '../database/migrate.ts';
import { ServiceError } from '../errors.ts';
import type { Parts } from '../parts.ts';

/**
 * Resolves when the database and the store answer, to why uploads are refused or null. Throws `unavailable`, naming what
 * does not answer, or saying that a newer release has changed the schema while this one ran.
 */
export async function checkReadiness({
  db,
  objects,
  log,
}: Pick<Parts, 'db' | 'objects' | 'log'>): Promise<string | null> {
  await reach('database', () => requireUsableSchema(db));
  return reach('object store', () => objects.check());

  async function reach<Result>(what: string, probe: () => Promise<Result>): Promise<Result> {
    try {
      return await probe();
    } catch (error) {
      log.warn({ err: error }, `the ${what} cannot be reached`);
      throw new ServiceError('unavailable', reasonOf(error) ?? `The ${what} cannot be reached.`);
    }
  }
}

/** What whoever asks may know of a failure: its message, where it was written for them. */
function reasonOf(error: unknown): string | null {
  if (error instanceof SchemaTooNew) return `The database cannot be used: ${error.message}.`;
  return error instanceof ServiceError && error.code === 'storage_full' ? error.message : null;
}
