import type { Bindr, Node } from '@bindery/contract';
import type { NoteRow } from '../access/notes.ts';
import type { ReadableProject } from '../access/projects.ts';
import { asReadableProject, selectReadableProjects } from '../access/projects.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Database } from '../database/schema.ts';
import type { Parts } from '../parts.ts';

/** A Note's place in a project that the viewer may read, with the viewer's role there. */
export interface VisibleNode {
  node: Omit<Node, 'project'>;
  project: ReadableProject;
}

/**
 * Where a Note is associated, as far as the viewer may see it, by the project's display name, then id. Two
 * statements, however many Nodes there are. The viewer was found to be allowed to read the Note.
 */
export async function visibleNodes(
  { db }: Pick<Parts, 'db'>,
  viewer: Viewer,
  note: NoteRow,
  onlyProjectId?: string,
): Promise<VisibleNode[]> {
  let query = selectReadableProjects(db, viewer)
    .innerJoin('nodes', 'nodes.project_id', 'projects.id')
    .where('nodes.note_id', '=', note.id);
  if (onlyProjectId !== undefined) query = query.where('projects.id', '=', onlyProjectId);
  const selected = await query
    .select(['nodes.id as node_id', 'nodes.path as node_path'])
    .orderBy('projects.display_name')
    .orderBy('projects.id')
    .execute();
  const bindrs =
    selected.length > 0 ? await bindrsByNode(db, note.id, onlyProjectId) : new Map<string, Bindr[]>();
  return selected.map(({ node_id: id, node_path: path, ...project }) => ({
    node: { id, name: note.name, path, projectNodeId: project.id, bindrs: bindrs.get(id) ?? [] },
    project: asReadableProject(project),
  }));
}

/** The Bindrs that tag the Note's Nodes, by Node: also of Nodes that the viewer may not see, whose Bindrs nobody asks for. */
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
  const rows = await query.orderBy('bindrs.name').orderBy('bindrs.id').execute();
  const byNode = new Map<string, Bindr[]>();
  for (const { node_id: nodeId, ...bindr } of rows) {
    const list = byNode.get(nodeId);
    if (list) list.push(bindr);
    else byNode.set(nodeId, [bindr]);
  }
  return byNode;
}

export function describeNode({ node, project: { row } }: VisibleNode): Node {
  return { ...node, project: { id: row.id, slug: row.slug, displayName: row.display_name } };
}
