import { randomUUID } from 'node:crypto';
import { type BodyOf, mayWrite, type Note, type routes } from '@bindery/contract';
import { loadNamespace } from '../access/load-namespace.ts';
import { lockGrants, lockMembership } from '../access/lock-rights.ts';
import { loadNote } from '../access/notes.ts';
import { loadProject, requireRight } from '../access/projects.ts';
import { requireAccount, requireWriteScope, type Viewer } from '../access/viewer.ts';
import { actorOf } from '../audit/actor.ts';
import { recordAudit } from '../audit/record.ts';
import type { DatabaseContext } from '../context.ts';
import { searchText } from '../database/queries.ts';
import { forbidden } from '../errors.ts';
import { describeNote } from './describe.ts';
import { insertNode } from './insert-node.ts';

type Input = BodyOf<typeof routes.notes.createNote>;

/**
 * Creates a Note and files it in the given projects, atomically. Members of the namespace who can write can create one
 * anywhere, others only in projects that they can write to.
 */
export async function createNote(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  { namespace: namespaceSlug }: { namespace: string },
  input: () => Input,
): Promise<Note> {
  const account = requireAccount(viewer);
  return db.transaction().execute(async (trx) => {
    await lockMembership(trx, account, namespaceSlug);
    await lockGrants(trx, account, namespaceSlug);
    const namespace = await loadNamespace(trx, account, namespaceSlug);
    requireWriteScope(account);
    const { name, visibility = 'private', projects: slugs = [] } = input();
    if (!mayWrite(namespace.role) && slugs.length === 0) {
      throw forbidden(
        'Only members of the namespace with write access can create a Note without projects. Name projects that you can write to.',
      );
    }
    const projects = [];
    for (const slug of new Set(slugs)) {
      projects.push(await loadProject(trx, account, { namespace: namespaceSlug, projectSlug: slug }));
    }
    for (const project of projects) requireRight(project, 'createContent');
    const id = randomUUID();
    const now = clock();
    await trx
      .insertInto('notes')
      .values({
        id,
        namespace_id: namespace.row.id,
        name,
        search_text: searchText(name),
        visibility,
        created_at: now,
        updated_at: now,
      })
      .execute();
    for (const project of projects) await insertNode(trx, id, project.row.id);
    await recordAudit(trx, now, actorOf(viewer), {
      action: 'note.create',
      namespace: namespace.row,
      target: id,
      details: { visibility, projects: projects.map(({ row }) => row.slug).join(' ') },
    });
    return describeNote(await loadNote(trx, account, { namespace: namespaceSlug, noteId: id }));
  });
}
