import type { Bindr, ProjectPermissions } from '@bindery/contract';
import { permissionsOf } from '../../access/project-roles.ts';
import type { ListedProject } from '../../access/projects.ts';
import type { VisibleNode } from '../../notes/visible-nodes.ts';

/**
 * The GraphQL type `Node` stands for a resource in a project and for a project itself. A project is its own project,
 * lies at the root, and carries what a resource has not: slug, display name, permissions.
 */
export interface NodeShape {
  id: string;
  name: string;
  path: string;
  projectNodeId: string;
  project: NodeShape;
  bindrs: readonly Bindr[];
  slug: string | null;
  displayName: string | null;
  permissions: ProjectPermissions | null;
}

const ROOT_PATH = ',';

export function projectNode({ row, role }: ListedProject): NodeShape {
  return {
    id: row.id,
    name: row.display_name,
    path: ROOT_PATH,
    projectNodeId: row.id,
    get project() {
      return this;
    },
    bindrs: [],
    slug: row.slug,
    displayName: row.display_name,
    permissions: permissionsOf(role),
  };
}

export function resourceNode({ node, project }: VisibleNode): NodeShape {
  return { ...node, project: projectNode(project), slug: null, displayName: null, permissions: null };
}
