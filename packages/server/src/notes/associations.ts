import type { LegacyNoteProjects, NoteNodes } from '@bindery/contract';
import { loadNoteRow, type NoteAddress } from '../access/notes.ts';
import { permissionsOf } from '../access/project-roles.ts';
import { asListedProject, selectListedProjects } from '../access/projects.ts';
import { requireAccount, type Viewer } from '../access/viewer.ts';
import type { DatabaseContext } from '../context.ts';
import { describeNode, visibleNodes } from './visible-nodes.ts';

/** Returns the Note's Nodes in projects that the viewer can read. */
export async function noteNodes(
  { db }: DatabaseContext,
  viewer: Viewer,
  address: NoteAddress,
  readQuery: () => unknown,
): Promise<NoteNodes> {
  const row = await loadNoteRow(db, viewer, address);
  readQuery();
  const nodes = (await visibleNodes(db, viewer, row)).map(describeNode);
  return { nodes, total: nodes.length };
}

/**
 * For older clients: returns every project of the namespace that the viewer can read, and whether the Note is filed in
 * it.
 */
export async function legacyNoteProjects(
  { db }: DatabaseContext,
  viewer: Viewer,
  address: NoteAddress,
  readQuery: () => unknown,
): Promise<LegacyNoteProjects> {
  const account = requireAccount(viewer);
  const row = await loadNoteRow(db, account, address);
  readQuery();
  const selected = await selectListedProjects(db, account)
    .leftJoin('nodes', (join) =>
      join.onRef('nodes.project_id', '=', 'projects.id').on('nodes.note_id', '=', row.id),
    )
    .select('nodes.id as node_id')
    .where('projects.namespace_id', '=', row.namespace_id)
    .orderBy('projects.display_name')
    .orderBy('projects.id')
    .execute();
  const projects = selected.map(({ node_id: nodeId, ...project }) => {
    const { row: found, role } = asListedProject(project);
    return {
      id: found.id,
      slug: found.slug,
      displayName: found.display_name,
      bound: nodeId !== null,
      canBind: permissionsOf(role).content.create,
    };
  });
  return { projects, total: projects.length };
}
