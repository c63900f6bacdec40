import type { NamespaceRole, ProjectPermissions, ProjectRole, Visibility } from '@bindery/contract';
import type { Expression, ExpressionBuilder, JoinBuilder, Nullable, Selectable, SqlBool } from 'kysely';
import type { Database, Tables } from '../database/schema.ts';
import type { ProjectsTable } from '../database/tables/accounts.ts';
import { forbidden, notFound } from '../errors.ts';
import { lockMembership } from './lock-rights.ts';
import { requestedNamespace } from './namespaces.ts';
import { accountIdOf, requireAccount, requireWriteScope, tokenAppliesIn, type Viewer } from './viewer.ts';

/** What a viewer's role in a project is computed from. */
interface RoleSources {
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

type ProjectRow = Selectable<ProjectsTable>;

/** A project as addressed by a client. */
export interface ProjectAddress {
  namespace: string;
  projectSlug: string;
}

/** What lists show of a project that the viewer can read, with the viewer's role in it. */
export interface ListedProject {
  row: Pick<ProjectRow, 'id' | 'slug' | 'display_name' | 'visibility'>;
  role: ProjectRole;
}

/** A project that the viewer can read, with the viewer's role in it. */
export interface ReadableProject extends ListedProject {
  row: ProjectRow;
  namespace: string;
}

/** Actions that only some roles are allowed. */
export type ProjectRight = 'update' | 'delete' | 'manageGrants' | 'createContent' | 'deleteContent';

const REFUSALS: Record<ProjectRight, string> = {
  update: 'Only admins of the project can change it.',
  delete: 'Only admins of the project can delete it.',
  manageGrants: 'Only admins of the project can see and change its grants.',
  createContent: 'Only writers and admins of the project can add content to it.',
  deleteContent: 'Only writers and admins of the project can remove content from it.',
};

/** Queries every project that the viewer can read, joined with what the role is computed from. */
export function readableProjects(db: Database, viewer: Viewer) {
  return db
    .selectFrom('projects')
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.namespace_id', '=', 'projects.namespace_id')
        .on('memberships.account_id', '=', accountIdOf(viewer))
        .on(tokenAppliesIn(viewer, 'projects.namespace_id')),
    )
    .leftJoin('project_grants', ownGrant(viewer))
    .where(isReadable);
}

type Rights = Tables & {
  memberships: Nullable<Tables['memberships']>;
  project_grants: Nullable<Tables['project_grants']>;
};

function isReadable(
  eb: ExpressionBuilder<Rights, 'projects' | 'memberships' | 'project_grants'>,
): Expression<SqlBool> {
  return eb.or([
    eb('projects.visibility', '=', 'public'),
    eb('memberships.role', 'is not', null),
    eb('project_grants.role', 'is not', null),
  ]);
}

/** Joins the viewer's grant in a project. */
function ownGrant(viewer: Viewer) {
  return (join: JoinBuilder<Tables, 'projects' | 'project_grants'>) =>
    join
      .onRef('project_grants.project_id', '=', 'projects.id')
      .on('project_grants.account_id', '=', accountIdOf(viewer))
      .on(tokenAppliesIn(viewer, 'projects.namespace_id'));
}

/** Like `readableProjects`, with the columns of `ListedProject`; pass the rows to `asListedProject`. */
export function selectListedProjects(db: Database, viewer: Viewer) {
  return readableProjects(db, viewer)
    .select(['projects.id', 'projects.slug', 'projects.display_name', 'projects.visibility'])
    .select(ROLES);
}

const ROLES = ['memberships.role as membership_role', 'project_grants.role as grant_role'] as const;

interface SelectedRoles {
  membership_role: NamespaceRole | null;
  grant_role: ProjectRole | null;
}

export function asListedProject<Row extends ListedProject['row']>(
  row: Row & SelectedRoles,
): { row: Row; role: ProjectRole } {
  const { membership_role: membership, grant_role: grant, visibility } = row;
  const role = projectRole({ membership, grant, visibility });
  if (role === null) throw new Error('a project was selected that its viewer may not read');
  return { row, role };
}

/**
 * Queries the project with that namespace and slug, if the viewer can read it. Takes as many look-ups for a hidden
 * project as for a missing one.
 */
export function readableProject(db: Database, viewer: Viewer, { namespace, projectSlug }: ProjectAddress) {
  return requestedNamespace(db, viewer, namespace)
    .crossJoin('projects')
    .leftJoin('project_grants', ownGrant(viewer))
    .whereRef('projects.namespace_id', '=', 'asked.id')
    .where('projects.slug', '=', projectSlug)
    .where(isReadable);
}

/** Like `readableProject`, by the id of the project's Node. */
export function readableProjectById(db: Database, viewer: Viewer, id: string) {
  return readableProjects(db, viewer).where('projects.id', '=', id);
}

/**
 * Resolves a client's namespace and slug to a project that the viewer can read. Hidden and missing projects give the
 * same 404 after the same look-ups.
 */
export async function loadProject(
  db: Database,
  viewer: Viewer,
  address: ProjectAddress,
): Promise<ReadableProject> {
  const selected = await readableProject(db, viewer, address)
    .selectAll('projects')
    .select(ROLES)
    .executeTakeFirst();
  if (!selected) throw notFound();
  return { ...asListedProject(selected), namespace: address.namespace };
}

/**
 * Loads the project for a change. Throws 401 without a token, 404 if the viewer cannot read it, 403 if the viewer lacks
 * the right.
 */
export async function loadProjectFor(
  right: ProjectRight,
  db: Database,
  viewer: Viewer,
  address: ProjectAddress,
): Promise<ReadableProject> {
  const account = requireAccount(viewer);
  const project = await loadProject(db, account, address);
  requireRight(project, right);
  requireWriteScope(account);
  return project;
}

/** Like `loadProjectFor`, but locks the project and the rows that give the right until the transaction ends. */
export async function lockProjectFor(
  right: ProjectRight,
  trx: Database,
  viewer: Viewer,
  address: ProjectAddress,
): Promise<ReadableProject> {
  await lockMembership(trx, viewer, address.namespace);
  const { row } = await loadProjectFor(right, trx, viewer, address);
  await lockProject(trx, row.id);
  return loadProjectFor(right, trx, viewer, address);
}

export function requireRight(project: ReadableProject, right: ProjectRight): void {
  if (!allows(project.role, right)) throw forbidden(REFUSALS[right]);
}

function allows(role: ProjectRole, right: ProjectRight): boolean {
  const { project, content } = permissionsOf(role);
  switch (right) {
    case 'createContent':
      return content.create;
    case 'deleteContent':
      return content.delete;
    default:
      return project[right];
  }
}

/**
 * Locks the project's row until the transaction ends, which serialises changes to the project, its grants and its
 * contents. (An update that changes nothing locks the row on PostgreSQL; SQLite runs one write transaction at a time
 * anyway.)
 */
export async function lockProject(trx: Database, projectId: string): Promise<void> {
  await trx
    .updateTable('projects')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('id', '=', projectId)
    .execute();
}
