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
} from '../access/projects.ts';
import { requireAccount, type Viewer } from '../access/viewer.ts';
import type { DatabaseContext } from '../context.ts';
import { searchText } from '../database/queries.ts';
import type { Database } from '../database/schema.ts';
import { invalidParameter, ServiceError } from '../errors.ts';
import { findBindr, loadBindr } from './load.ts';

/** A Bindr as addressed by a client. */
export interface BindrAddress extends ProjectAddress {
  bindrId: string;
}

/** Creates a Bindr, below a parent of the same project or at the top. */
export async function createBindr(
  { db }: DatabaseContext,
  viewer: Viewer,
  address: ProjectAddress,
  input: () => BodyOf<typeof routes.bindrs.createBindr>,
): Promise<Bindr> {
  return db.transaction().execute(async (trx) => {
    const projectId = await lockForBindrs(trx, viewer, address, 'createContent');
    const { name, parentId = null } = input();
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
  input: () => BodyOf<typeof routes.bindrs.patchBindr>,
): Promise<Bindr> {
  return db.transaction().execute(async (trx) => {
    const projectId = await lockForBindrs(trx, viewer, project, 'createContent', bindrId);
    const bindr = await loadBindr(trx, projectId, bindrId);
    const { name = bindr.name, parentId = bindr.parentId } = input();
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
  input: () => { recursive: boolean },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const projectId = await lockForBindrs(trx, viewer, project, 'deleteContent', bindrId);
    const { recursive } = input();
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

/** Locks the project, which serialises changes to its Bindrs, and checks the rights again once it holds the lock. */
export async function lockForBindrs(
  trx: Database,
  viewer: Viewer,
  project: ProjectAddress,
  right: ProjectRight,
  bindrId?: string,
): Promise<string> {
  const account = requireAccount(viewer);
  await lockMembership(trx, account, project.namespace);
  const { row } = await loadProject(trx, account, project);
  await lockProject(trx, row.id);
  await loadProject(trx, account, project);
  if (bindrId !== undefined) await loadBindr(trx, row.id, bindrId);
  await loadProjectFor(right, trx, account, project);
  return row.id;
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
