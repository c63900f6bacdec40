import type { NamespaceRole, ProjectPermissions, ProjectRole, Visibility } from '@bindery/contract';

/** What a viewer's role in a project is computed from. */
export interface RoleSources {
  membership: NamespaceRole | null;
  grant: ProjectRole | null;
  visibility: Visibility;
}

const RANK: Record<ProjectRole, number> = { reader: 1, writer: 2, admin: 3 };

/**
 * The strongest of: the direct grant; `admin` for owners of the namespace and `reader` for its members; `reader` for
 * everyone if the project is public. Null if the viewer cannot read the project.
 */
export function projectRole({ membership, grant, visibility }: RoleSources): ProjectRole | null {
  const roles: ProjectRole[] = [];
  if (grant !== null) roles.push(grant);
  if (membership !== null) roles.push(membership === 'owner' ? 'admin' : 'reader');
  if (visibility === 'public') roles.push('reader');
  return roles.reduce<ProjectRole | null>(
    (best, role) => (best === null || RANK[role] > RANK[best] ? role : best),
    null,
  );
}

export function permissionsOf(role: ProjectRole): ProjectPermissions {
  const admin = role === 'admin';
  const writes = role !== 'reader';
  return {
    role,
    project: { read: true, update: admin, delete: admin, manageGrants: admin },
    content: { read: true, create: writes, delete: writes },
  };
}
