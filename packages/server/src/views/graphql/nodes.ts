import type { Bindr, ProjectPermissions } from '@bindery/contract';
import type { NoteRow } from '../../access/notes.ts';
import { type ListedProject, permissionsOf } from '../../access/projects.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { Context } from '../../context.ts';
import type { VisibleNode } from '../../notes/nodes.ts';

/**
 * The GraphQL type `Node` represents a resource in a project or a project itself. A project is its own project, is at
 * the root, and has what a resource does not: slug, display name, permissions.
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

/** A project. Getters compute only what a query selects. */
class ProjectNode implements NodeShape {
  readonly path = ROOT_PATH;
  readonly bindrs = [];
  readonly #row: ListedProject['row'];
  readonly #role: ListedProject['role'];

  constructor({ row, role }: ListedProject) {
    this.#row = row;
    this.#role = role;
  }

  get id(): string {
    return this.#row.id;
  }

  get name(): string {
    return this.#row.display_name;
  }

  get projectNodeId(): string {
    return this.#row.id;
  }

  get project(): NodeShape {
    return this;
  }

  get slug(): string {
    return this.#row.slug;
  }

  get displayName(): string {
    return this.#row.display_name;
  }

  get permissions(): ProjectPermissions {
    return permissionsOf(this.#role);
  }
}

export function projectNode(project: ListedProject): NodeShape {
  return new ProjectNode(project);
}

export function resourceNode({ node, project }: VisibleNode): NodeShape {
  const { id, name, path, projectNodeId, bindrs } = node;
  return {
    id,
    name,
    path,
    projectNodeId,
    project: projectNode(project),
    bindrs,
    slug: null,
    displayName: null,
    permissions: null,
  };
}

/** What every resolver gets: the service's parts and the viewer. */
export interface GraphqlContext {
  context: Context;
  viewer: Viewer;
}

/** A Note together with its row, from which its Nodes are looked up if they are requested. */
export interface NoteShape {
  id: string;
  name: string;
  row: NoteRow;
}

export interface CatalogShape {
  projects: NodeShape[];
  total: number;
  page: number;
  pageSize: number;
  totalPages: number;
  canCreate: boolean;
}
