import { randomUUID } from 'node:crypto';
import type { BodyOf, Project, routes } from '@bindery/contract';
import { loadNamespaceForWrite } from '../access/load-namespace.ts';
import { lockMembership } from '../access/lock-rights.ts';
import { loadProject } from '../access/projects.ts';
import type { Viewer } from '../access/viewer.ts';
import { actorOf } from '../audit/actor.ts';
import { recordAudit } from '../audit/record.ts';
import type { DatabaseContext } from '../context.ts';
import { matchesPrefix, searchText } from '../database/queries.ts';
import type { Database } from '../database/schema.ts';
import { ServiceError } from '../errors.ts';
import { describeProject } from './describe.ts';
import { freeSlug, slugOf } from './slug.ts';

type Input = BodyOf<typeof routes.projects.createProject>;

/** Creates a project in a namespace of which the viewer is a member; its creator becomes its admin. */
export async function createProject(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  { namespace: namespaceSlug }: { namespace: string },
  input: () => Input,
): Promise<Project> {
  return db.transaction().execute(async (trx) => {
    await lockMembership(trx, viewer, namespaceSlug);
    const namespace = await loadNamespaceForWrite(trx, viewer, namespaceSlug);
    const { displayName, slug: asked, description = '', visibility = 'private' } = input();
    const slug =
      asked ?? freeSlug(slugOf(displayName), await slugsLike(trx, namespace.row.id, slugOf(displayName)));
    const id = randomUUID();
    const now = clock();
    const made = await trx
      .insertInto('projects')
      .values({
        id,
        namespace_id: namespace.row.id,
        slug,
        display_name: displayName,
        search_text: searchText(displayName, slug),
        description,
        visibility,
        created_at: now,
        updated_at: now,
      })
      .onConflict((conflict) => conflict.columns(['namespace_id', 'slug']).doNothing())
      .executeTakeFirst();
    if (!made.numInsertedOrUpdatedRows) {
      throw new ServiceError(
        'slug_taken',
        `The namespace already has a project "${slug}". Choose another slug.`,
      );
    }
    await trx
      .insertInto('project_grants')
      .values({ project_id: id, account_id: namespace.viewer.accountId, role: 'admin' })
      .execute();
    await recordAudit(trx, now, actorOf(viewer), {
      action: 'project.create',
      namespace: namespace.row,
      target: slug,
      details: { visibility },
    });
    return describeProject(await loadProject(trx, viewer, { namespace: namespaceSlug, projectSlug: slug }));
  });
}

async function slugsLike(trx: Database, namespaceId: string, base: string): Promise<Set<string>> {
  const rows = await trx
    .selectFrom('projects')
    .select('slug')
    .where('namespace_id', '=', namespaceId)
    .where(matchesPrefix('slug', base))
    .execute();
  return new Set(rows.map(({ slug }) => slug));
}
