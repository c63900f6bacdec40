import { randomUUID } from 'node:crypto';
import type { Bindr, BodyOf, routes } from '@bindery/contract';
import { sql } from 'kysely';
import { lockMembership } from '../access/lock-rights.ts';
import {
  loadProject,
  loadProjectFor,
  lockProject,
  type ProjectAddress,
  type ProjectRight,
  type ReadableProject,
} from '../access/projects.ts';
import { requireAccount, type Viewer } from '../access/viewer.ts';
import type { DatabaseContext } from '../context.ts';
import { searchText } from '../database/queries.ts';
import type { Database } from '../database/schema.ts';
import { invalidParameter, notFound, ServiceError } from '../errors.ts';
import { selectBindrs } from './choices.ts';

/** A Bindr as addressed by a client. */
interface BindrAddress extends ProjectAddress {
  bindrId: string;
}

/** Creates a Bindr, below a parent of the same project or at the top. */
export async function createBindr(
  { db }: DatabaseContext,
  viewer: Viewer,
  address: ProjectAddress,
  { name, parentId = null }: BodyOf<typeof routes.bindrs.createBindr>,
): Promise<Bindr> {
  return db.transaction().execute(async (trx) => {
    const projectId = await lockForBindrs('createContent', trx, viewer, address);
    if (parentId !== null) await requireParent(trx, projectId, parentId);
    const id = randomUUID();
    await trx
      .insertInto('bindrs')
      .values({ id, project_id: projectId, parent_id: parentId, name, search_text: searchText(name) })
      .execute();
    return { id, name, parentId, projectNodeId: projectId };
  });
}

/** Renames a Bindr, or moves it below another one. Throws `bindr_cycle` (409) if it would end up below itself. */
export async function changeBindr(
  { db }: DatabaseContext,
  viewer: Viewer,
  { bindrId, ...project }: BindrAddress,
  changes: BodyOf<typeof routes.bindrs.patchBindr>,
): Promise<Bindr> {
  return db.transaction().execute(async (trx) => {
    const projectId = await lockForBindrs('createContent', trx, viewer, project, bindrId);
    const bindr = await loadBindr(trx, projectId, bindrId);
    const { name = bindr.name, parentId = bindr.parentId } = changes;
    if (parentId !== null && parentId !== bindr.parentId) {
      await requireParent(trx, projectId, parentId);
      await refuseCycle(trx, bindrId, parentId);
    }
    await trx
      .updateTable('bindrs')
      .set({ name, search_text: searchText(name), parent_id: parentId })
      .where('id', '=', bindrId)
      .execute();
    return { ...bindr, name, parentId };
  });
}

/** Deletes a Bindr. One with children is deleted only together with them (`recursive`). */
export async function deleteBindr(
  { db }: DatabaseContext,
  viewer: Viewer,
  { bindrId, ...project }: BindrAddress,
  { recursive }: { recursive: boolean },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const projectId = await lockForBindrs('deleteContent', trx, viewer, project, bindrId);
    const child = await trx
      .selectFrom('bindrs')
      .select('id')
      .where('project_id', '=', projectId)
      .where('parent_id', '=', bindrId)
      .limit(1)
      .executeTakeFirst();
    if (child && !recursive) {
      throw new ServiceError(
        'bindr_not_empty',
        'The Bindr has children. Delete it with recursive=true, or move them.',
      );
    }
    await trx.deleteFrom('bindrs').where('id', '=', bindrId).execute();
  });
}

/** A Bindr and a Node, both of the addressed project. */
interface Tagging {
  bindrId: string;
  nodeId: string;
}

/** Tags a Node with a Bindr of its project. Tagging it again changes nothing. */
export async function tagNode(
  { db }: DatabaseContext,
  viewer: Viewer,
  { bindrId, nodeId, ...project }: ProjectAddress & Tagging,
): Promise<Tagging> {
  return db.transaction().execute(async (trx) => {
    const projectId = await lockForBindrs('createContent', trx, viewer, project, bindrId);
    await requireNode(trx, projectId, nodeId);
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
    await lockForBindrs('deleteContent', trx, viewer, project, bindrId);
    await trx
      .deleteFrom('bindr_members')
      .where('bindr_id', '=', bindrId)
      .where('node_id', '=', nodeId)
      .execute();
  });
}

/** Loads what a Node is tagged with. Throws 404 for the project, the Bindr or the Node, and 403. */
export async function loadTagging(
  db: Database,
  viewer: Viewer,
  { bindrId, nodeId, ...project }: ProjectAddress & Tagging,
): Promise<void> {
  const { row } = await loadForBindrs('createContent', db, viewer, project, bindrId);
  await requireNode(db, row.id, nodeId);
}

async function requireNode(trx: Database, projectId: string, nodeId: string): Promise<void> {
  const node = await trx
    .selectFrom('nodes')
    .select('id')
    .where('id', '=', nodeId)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  if (!node) throw notFound();
}

/**
 * Loads a project for a change of its Bindrs, and one of these. Throws 404 for either before 403.
 */
export async function loadForBindrs(
  right: ProjectRight,
  db: Database,
  viewer: Viewer,
  project: ProjectAddress,
  bindrId?: string,
): Promise<ReadableProject> {
  const account = requireAccount(viewer);
  const { row } = await loadProject(db, account, project);
  if (bindrId !== undefined) await loadBindr(db, row.id, bindrId);
  return loadProjectFor(right, db, account, project);
}

/** Like `loadForBindrs`, but locks the project, which serialises changes to its Bindrs. Returns the project's id. */
async function lockForBindrs(
  right: ProjectRight,
  trx: Database,
  viewer: Viewer,
  project: ProjectAddress,
  bindrId?: string,
): Promise<string> {
  const account = requireAccount(viewer);
  await lockMembership(trx, account, project.namespace);
  const { row } = await loadProject(trx, account, project);
  await lockProject(trx, row.id);
  await loadForBindrs(right, trx, account, project, bindrId);
  return row.id;
}

/**
 * Loads a Bindr of a project that the viewer is known to be able to read. Throws 404 if the Bindr does not exist or
 * belongs to another project.
 */
async function loadBindr(db: Database, projectId: string, bindrId: string): Promise<Bindr> {
  const bindr = await findBindr(db, projectId, bindrId);
  if (!bindr) throw notFound();
  return bindr;
}

async function findBindr(db: Database, projectId: string, bindrId: string): Promise<Bindr | undefined> {
  return selectBindrs(db).where('project_id', '=', projectId).where('id', '=', bindrId).executeTakeFirst();
}

async function requireParent(trx: Database, projectId: string, parentId: string): Promise<void> {
  if (await findBindr(trx, projectId, parentId)) return;
  throw invalidParameter('/parentId', '/parentId: the parent must be a Bindr of the same project.');
}

async function refuseCycle(trx: Database, bindrId: string, parentId: string): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    with recursive ancestors(id, parent_id) as (
      select id, parent_id from bindrs where id = ${parentId}
      union
      select bindrs.id, bindrs.parent_id from bindrs join ancestors on bindrs.id = ancestors.parent_id
    )
    select id from ancestors where id = ${bindrId}`.execute(trx);
  if (rows.length > 0) {
    throw new ServiceError('bindr_cycle', 'A Bindr cannot be moved below itself or one of its descendants.');
  }
}
