import type { BodyOf, Project, routes } from '@bindery/contract';
import { loadProject, lockProjectFor, type ProjectAddress } from '../access/projects.ts';
import type { Viewer } from '../access/viewer.ts';
import { actorOf } from '../audit/actor.ts';
import { recordAudit } from '../audit/record.ts';
import type { DatabaseContext } from '../context.ts';
import { searchText } from '../database/queries.ts';
import { describeProject } from './describe.ts';

type Input = BodyOf<typeof routes.projects.patchProject>;

/** Changes the given fields and leaves the others as they are (admins). */
export async function changeProject(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  address: ProjectAddress,
  input: () => Input,
): Promise<Project> {
  return db.transaction().execute(async (trx) => {
    const { row } = await lockProjectFor('update', trx, viewer, address);
    const {
      displayName = row.display_name,
      description = row.description,
      visibility = row.visibility,
    } = input();
    await trx
      .updateTable('projects')
      .set({
        display_name: displayName,
        search_text: searchText(displayName, row.slug),
        description,
        visibility,
        updated_at: clock(),
      })
      .where('id', '=', row.id)
      .execute();
    await recordAudit(trx, clock(), actorOf(viewer), {
      action: 'project.change',
      namespace: { id: row.namespace_id, slug: address.namespace },
      target: row.slug,
      details: { visibility },
    });
    return describeProject(await loadProject(trx, viewer, address));
  });
}

/** Deletes a project with its Nodes, Bindrs and grants; the Notes stay (admins). */
export async function deleteProject(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  address: ProjectAddress,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { row } = await lockProjectFor('delete', trx, viewer, address);
    // Grants first: writers of Notes have locked theirs and might still need the project.
    await trx.deleteFrom('project_grants').where('project_id', '=', row.id).execute();
    await trx.deleteFrom('projects').where('id', '=', row.id).execute();
    await recordAudit(trx, clock(), actorOf(viewer), {
      action: 'project.delete',
      namespace: { id: row.namespace_id, slug: address.namespace },
      target: row.slug,
    });
  });
}
