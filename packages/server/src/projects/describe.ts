import type { Project, ProjectEntry } from '@bindery/contract';
import { permissionsOf } from '../access/project-roles.ts';
import type { ListedProject, ReadableProject } from '../access/projects.ts';

export function describeProjectEntry({ row, role }: ListedProject): ProjectEntry {
  return { id: row.id, slug: row.slug, displayName: row.display_name, permissions: permissionsOf(role) };
}

export function describeProject(project: ReadableProject): Project {
  const { row, namespace } = project;
  return {
    ...describeProjectEntry(project),
    namespace,
    description: row.description,
    visibility: row.visibility,
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  };
}
