import { randomUUID } from 'node:crypto';
import {
  type BodyOf,
  mayWrite,
  type Note,
  type NotePage,
  type QueryOf,
  type routes,
} from '@bindery/contract';
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { lockGrants, lockMembership } from '../access/lock-rights.ts';
import { loadNamespace, type VisibleNamespace } from '../access/namespaces.ts';
import {
  asReadableNote,
  loadNote,
  lockNoteForWrite,
  type NoteAddress,
  type ReadableNote,
  readableNotes,
  selectReadableNotes,
} from '../access/notes.ts';
import { loadProject, requireRight } from '../access/projects.ts';
import { requireAccount, requireWriteScope, type Viewer } from '../access/viewer.ts';
import { actorOf, recordAudit } from '../audit/audit-log.ts';
import type { DatabaseContext } from '../context.ts';
import { countRows, matchesSearch, pageOffset, pageSummary, searchText } from '../database/queries.ts';
import type { Tables } from '../database/schema.ts';
import { forbidden } from '../errors.ts';
import { insertNode } from './filing.ts';

export function describeNote({ row, namespace, viewerCanWrite }: ReadableNote): Note {
  return {
    id: row.id,
    namespace,
    name: row.name,
    visibility: row.visibility,
    viewerCanWrite,
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  };
}

/**
 * Returns a page of the Notes of a namespace that the viewer can read, ordered by name, then id. With `project`, only
 * those filed in it: throws 404 if the viewer cannot read the project.
 */
export async function listNotes(
  { db }: DatabaseContext,
  viewer: Viewer,
  { row: namespace }: VisibleNamespace,
  { search, project, ...page }: QueryOf<typeof routes.notes.listNotes>,
): Promise<NotePage> {
  const projectId =
    project === undefined
      ? null
      : (await loadProject(db, viewer, { namespace: namespace.slug, projectSlug: project })).row.id;
  const matches = (eb: ExpressionBuilder<Tables, 'notes'>) =>
    eb.and([
      eb('notes.namespace_id', '=', namespace.id),
      matchesSearch('notes.search_text', search),
      ...(projectId === null ? [] : [isFiledIn(eb, projectId)]),
    ]);

  const total = await countRows(readableNotes(db, viewer).where(matches));
  const selected = await selectReadableNotes(db, viewer)
    .where(matches)
    .orderBy('notes.name')
    .orderBy('notes.id')
    .limit(page.pageSize)
    .offset(pageOffset(page))
    .execute();
  return { notes: selected.map(asReadableNote).map(describeNote), ...pageSummary(page, total) };
}

function isFiledIn(eb: ExpressionBuilder<Tables, 'notes'>, projectId: string): Expression<SqlBool> {
  return eb.exists(
    eb
      .selectFrom('nodes')
      .select(eb.lit(1).as('one'))
      .whereRef('nodes.note_id', '=', 'notes.id')
      .where('nodes.project_id', '=', projectId),
  );
}

/**
 * Creates a Note and files it in the given projects, atomically. Members of the namespace who can write can create one
 * anywhere, others only in projects that they can write to.
 */
export async function createNote(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  { namespace: namespaceSlug }: { namespace: string },
  { name, visibility = 'private', projects: slugs = [] }: BodyOf<typeof routes.notes.createNote>,
): Promise<Note> {
  const account = requireAccount(viewer);
  return db.transaction().execute(async (trx) => {
    await lockMembership(trx, account, namespaceSlug);
    await lockGrants(trx, account, namespaceSlug);
    const namespace = await loadNamespace(trx, account, namespaceSlug);
    requireWriteScope(account);
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

/** Renames a Note or changes who can see it. */
export async function changeNote(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  address: NoteAddress,
  changes: BodyOf<typeof routes.notes.patchNote>,
): Promise<Note> {
  return db.transaction().execute(async (trx) => {
    const { row } = await lockNoteForWrite(trx, viewer, address);
    const { name = row.name, visibility = row.visibility } = changes;
    await trx
      .updateTable('notes')
      .set({ name, search_text: searchText(name), visibility, updated_at: clock() })
      .where('id', '=', row.id)
      .execute();
    await recordAudit(trx, clock(), actorOf(viewer), {
      action: 'note.change',
      namespace: { id: row.namespace_id, slug: address.namespace },
      target: row.id,
      details: { visibility },
    });
    return describeNote(await loadNote(trx, viewer, address));
  });
}

/** Deletes a Note with all of its associations. */
export async function deleteNote(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  address: NoteAddress,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { row } = await lockNoteForWrite(trx, viewer, address);
    await trx.deleteFrom('notes').where('id', '=', row.id).execute();
    await recordAudit(trx, clock(), actorOf(viewer), {
      action: 'note.delete',
      namespace: { id: row.namespace_id, slug: address.namespace },
      target: row.id,
    });
  });
}
