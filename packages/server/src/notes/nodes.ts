import {
  type Bindr,
  compareUtf8,
  type LegacyNoteProjects,
  type Node,
  type NoteNodes,
} from '@bindery/contract';
import type { NoteRow } from '../access/notes.ts';
import {
  asListedProject,
  type ListedProject,
  permissionsOf,
  selectListedProjects,
} from '../access/projects.ts';
import type { Viewer } from '../access/viewer.ts';
import type { DatabaseContext } from '../context.ts';
import type { Database } from '../database/schema.ts';

/** Returns the Note's Nodes in projects that the viewer can read. */
export async function noteNodes({ db }: DatabaseContext, viewer: Viewer, note: NoteRow): Promise<NoteNodes> {
  const nodes = (await visibleNodes(db, viewer, note)).map(describeNode);
  return { nodes, total: nodes.length };
}

/**
 * For older clients: returns every project of the namespace that the viewer can read, and whether the Note is filed in
 * it.
 */
export async function legacyNoteProjects(
  { db }: DatabaseContext,
  viewer: Viewer,
  row: NoteRow,
): Promise<LegacyNoteProjects> {
  const selected = await selectListedProjects(db, viewer)
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

/** A Note's place in a project that the viewer can read, with the viewer's role there. */
export interface VisibleNode {
  node: Omit<Node, 'project'>;
  project: ListedProject;
}

/**
 * Returns the Note's Nodes that the viewer can see, ordered by the project's display name, then id. Runs two statements
 * concurrently, however many Nodes there are. The caller must have checked that the viewer can read the Note.
 */
export async function visibleNodes(
  db: Database,
  viewer: Viewer,
  note: NoteRow,
  onlyProjectId?: string,
): Promise<VisibleNode[]> {
  let query = selectListedProjects(db, viewer)
    .innerJoin('nodes', 'nodes.project_id', 'projects.id')
    .where('nodes.note_id', '=', note.id)
    // A Note is filed only in its own namespace; with this condition the database looks the membership up once.
    .where('projects.namespace_id', '=', note.namespace_id);
  if (onlyProjectId !== undefined) query = query.where('projects.id', '=', onlyProjectId);
  const selecting = query
    .select(['nodes.id as node_id', 'nodes.path as node_path'])
    .orderBy('projects.display_name')
    .orderBy('projects.id')
    .execute();
  const [selected, bindrs] = await Promise.all([selecting, bindrsByNode(db, note.id, onlyProjectId)]);
  return selected.map((row) => ({
    node: {
      id: row.node_id,
      name: note.name,
      path: row.node_path,
      projectNodeId: row.id,
      bindrs: bindrs.get(row.node_id) ?? [],
    },
    project: asListedProject(row),
  }));
}

/**
 * Returns the Bindrs that tag the Note's Nodes, by Node, each list ordered by name, then id. Includes Nodes that the
 * viewer cannot see; the caller ignores their Bindrs.
 */
async function bindrsByNode(
  db: Database,
  noteId: string,
  onlyProjectId?: string,
): Promise<Map<string, Bindr[]>> {
  let query = db
    .selectFrom('nodes')
    .innerJoin('bindr_members', 'bindr_members.node_id', 'nodes.id')
    .innerJoin('bindrs', 'bindrs.id', 'bindr_members.bindr_id')
    .select([
      'nodes.id as node_id',
      'bindrs.id',
      'bindrs.name',
      'bindrs.parent_id as parentId',
      'bindrs.project_id as projectNodeId',
    ])
    .where('nodes.note_id', '=', noteId);
  if (onlyProjectId !== undefined) query = query.where('nodes.project_id', '=', onlyProjectId);
  const byNode = new Map<string, Bindr[]>();
  for (const { node_id: nodeId, id, name, parentId, projectNodeId } of await query.execute()) {
    const bindr = { id, name, parentId, projectNodeId };
    const list = byNode.get(nodeId);
    if (list) list.push(bindr);
    else byNode.set(nodeId, [bindr]);
  }
  // Sorting a few short lists here takes less time than sorting all rows in the database.
  for (const list of byNode.values()) {
    list.sort((one, other) => compareUtf8(one.name, other.name) || compareUtf8(one.id, other.id));
  }
  return byNode;
}

export function describeNode({ node, project: { row } }: VisibleNode): Node {
  return { ...node, project: { id: row.id, slug: row.slug, displayName: row.display_name } };
}
