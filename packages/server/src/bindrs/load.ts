import type { Bindr } from '@bindery/contract';
import type { Database } from '../database/schema.ts';
import { notFound } from '../errors.ts';
import { selectBindrs } from './choices.ts';

/** A Bindr of a project that the viewer was found to be allowed to read; of another project counts as missing. */
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
