import type { Bindr } from '@bindery/contract';
import type { Database } from '../database/schema.ts';
import { notFound } from '../errors.ts';
import { selectBindrs } from './choices.ts';

/**
 * Loads a Bindr of a project that the viewer is known to be able to read. Throws 404 if the Bindr does not exist or
 * belongs to another project.
 */
export async function loadBindr(db: Database, projectId: string, bindrId: string): Promise<Bindr> {
  const bindr = await findBindr(db, projectId, bindrId);
  if (!bindr) throw notFound();
  return bindr;
}

export async function findBindr(
  db: Database,
  projectId: string,
  bindrId: string,
): Promise<Bindr | undefined> {
  return selectBindrs(db).where('project_id', '=', projectId).where('id', '=', bindrId).executeTakeFirst();
}
