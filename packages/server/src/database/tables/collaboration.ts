import type { ProjectRole, Visibility } from '@bindery/contract';

export interface CollaborationTables {
  projects: ProjectsTable;
  project_grants: ProjectGrantsTable;
  notes: NotesTable;
  nodes: NodesTable;
  bindrs: BindrsTable;
  bindr_members: BindrMembersTable;
}

export interface ProjectsTable {
  id: string;
  namespace_id: string;
  slug: string;
  display_name: string;
  /** Display name and slug in lower case, for searches. */
  search_text: string;
  description: string;
  visibility: Visibility;
  created_at: number;
  updated_at: number;
}

export interface ProjectGrantsTable {
  project_id: string;
  account_id: string;
  role: ProjectRole;
}

export interface NotesTable {
  id: string;
  namespace_id: string;
  name: string;
  search_text: string;
  visibility: Visibility;
  created_at: number;
  updated_at: number;
}

/** A Note's place in a project. */
export interface NodesTable {
  id: string;
  project_id: string;
  note_id: string;
  /** Folders between commas; "," at the root. */
  path: string;
}

export interface BindrsTable {
  id: string;
  project_id: string;
  parent_id: string | null;
  name: string;
  search_text: string;
}

/** Which Bindr tags which Node. Both belong to the project. */
export interface BindrMembersTable {
  bindr_id: string;
  node_id: string;
}
