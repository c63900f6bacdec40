import type { ProjectAddress } from '../access/projects.ts';
import type { Viewer } from '../access/viewer.ts';
import type { DatabaseContext } from '../context.ts';
import type { Database } from '../database/schema.ts';
import { notFound } from '../errors.ts';
import { lockForBindrs } from './change.ts';

/** A Bindr and a Node, both of the addressed project. */
export interface Tagging {
  bindrId: string;
  nodeId: string;
}

/** Tags a Node with a Bindr of its project. Tagging it again changes nothing. */
export async function tagNode(
  { db }: DatabaseContext,
  viewer: Viewer,
  { bindrId, nodeId, ...project }: ProjectAddress & Tagging,
  input: () => unknown,
): Promise<Tagging> {
  return db.transaction().execute(async (trx) => {
    const projectId = await lockForBindrs(trx, viewer, project, 'createContent', bindrId);
    if (!(await isNodeOf(trx, projectId, nodeId))) throw notFound();
    input();
    await trx
      .insertInto('bindr_members')
      .values({ bindr_id: bindrId, node_id: nodeId })
      .onConflict((conflict) => conflict.columns(['node_id', 'bindr_id']).doNothing())
      .execute();
    return { bindrId, nodeId };
  });
}

/** Removes a tag, if it is there. */
export async function untagNode(
  { db }: DatabaseContext,
  viewer: Viewer,
  { bindrId, nodeId, ...project }: ProjectAddress & Tagging,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockForBindrs(trx, viewer, project, 'deleteContent', bindrId);
    await trx
      .deleteFrom('bindr_members')
      .where('bindr_id', '=', bindrId)
      .where('node_id', '=', nodeId)
      .execute();
  });
}

async function isNodeOf(trx: Database, projectId: string, nodeId: string): Promise<boolean> {
  const node = await trx
    .selectFrom('nodes')
    .select('id')
    .where('id', '=', nodeId)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  return node !== undefined;
}
