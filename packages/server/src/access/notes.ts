import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { Database } from '../database/schema.ts';
import type { NotesTable } from '../database/tables/collaboration.ts';
import { forbidden, notFound } from '../errors.ts';
import { accountIdOf, countsIn } from './bound-token.ts';
import { holdGrants, holdMembership } from './hold-rights.ts';
import { type AccountViewer, requireAccount, requireWriteScope, type Viewer } from './viewer.ts';

export type NoteRow = Selectable<NotesTable>;

/** A Note as a client names it. */
export interface NoteAddress {
  namespace: string;
  noteId: string;
}

/** A Note that the viewer may read. */
export interface ReadableNote {
  row: NoteRow;
  namespace: string;
  viewerCanWrite: boolean;
}

/**
 * The query of every Note that the viewer may read: as a member of its namespace, because it is public, or through a
 * grant in a project that it is filed in. That such a project is public opens nothing: only public Notes are open.
 */
export function readableNotes(db: Database, viewer: Viewer) {
  return db
    .selectFrom('notes')
    .innerJoin('namespaces', 'namespaces.id', 'notes.namespace_id')
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.namespace_id', '=', 'notes.namespace_id')
        .on('memberships.account_id', '=', accountIdOf(viewer))
        .on(countsIn(viewer, 'notes.namespace_id')),
    )
    .where((eb) =>
      eb.or([
        eb('notes.visibility', '=', 'public'),
        eb('memberships.role', 'is not', null),
        ...(viewer.kind === 'account' ? [hasGrant(viewer, ['reader', 'writer', 'admin'])] : []),
      ]),
    );
}

/** The same with the columns of `ReadableNote`; feed the rows to `asReadableNote`. */
export function selectReadableNotes(db: Database, viewer: Viewer) {
  return readableNotes(db, viewer)
    .selectAll('notes')
    .select('namespaces.slug as namespace_slug')
    .select((eb) =>
      eb
        .case()
        .when('memberships.role', 'in', ['owner', 'member'])
        .then(1)
        .when(viewer.kind === 'account' ? hasGrant(viewer, ['writer', 'admin']) : sql<SqlBool>`1 = 0`)
        .then(1)
        .else(0)
        .end()
        .as('can_write'),
    );
}

type SelectedNote = Awaited<ReturnType<ReturnType<typeof selectReadableNotes>['executeTakeFirstOrThrow']>>;

export function asReadableNote(selected: SelectedNote): ReadableNote {
  const { namespace_slug: namespace, can_write: canWrite, ...row } = selected;
  return { row, namespace, viewerCanWrite: canWrite === 1 };
}

/** A client's namespace and id as a Note that it may read; hidden and missing are the same 404. */
export async function loadNote(
  db: Database,
  viewer: Viewer,
  { namespace, noteId }: NoteAddress,
): Promise<ReadableNote> {
  const selected = await selectReadableNotes(db, viewer)
    .where('notes.id', '=', noteId)
    .where('namespaces.slug', '=', namespace)
    .executeTakeFirst();
  if (!selected) throw notFound();
  return asReadableNote(selected);
}

/** The same where nobody asks whether the viewer may write it. */
export async function loadNoteRow(
  db: Database,
  viewer: Viewer,
  { namespace, noteId }: NoteAddress,
): Promise<NoteRow> {
  const row = await readableNotes(db, viewer)
    .selectAll('notes')
    .where('notes.id', '=', noteId)
    .where('namespaces.slug', '=', namespace)
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/**
 * The Note for a change: 401 without a token, 404 for those who may not read it, 403 for those who may only read it.
 */
export async function loadNoteForWrite(
  db: Database,
  viewer: Viewer,
  address: NoteAddress,
): Promise<ReadableNote> {
  const account = requireAccount(viewer);
  const note = await loadNote(db, account, address);
  if (!note.viewerCanWrite) {
    throw forbidden(
      'Only members of the namespace and writers of a project that the Note is filed in can change it.',
    );
  }
  requireWriteScope(account);
  return note;
}

/** The same, held until the transaction ends together with what gives the right. */
export async function holdNoteForWrite(
  trx: Database,
  viewer: Viewer,
  address: NoteAddress,
): Promise<ReadableNote> {
  await holdMembership(trx, viewer, address.namespace);
  const { row } = await loadNote(trx, requireAccount(viewer), address);
  await lockNote(trx, row.id);
  await holdGrants(trx, viewer, address.namespace);
  return loadNoteForWrite(trx, viewer, address);
}

/** Holds the Note's row until the transaction ends: its associations change one after another. */
async function lockNote(trx: Database, noteId: string): Promise<void> {
  await trx
    .updateTable('notes')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('id', '=', noteId)
    .execute();
}

function hasGrant(viewer: AccountViewer, roles: readonly string[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${countsIn(viewer, 'notes.namespace_id')} and exists (
    select 1 from nodes
    join project_grants on project_grants.project_id = nodes.project_id
    where nodes.note_id = notes.id
      and project_grants.account_id = ${viewer.accountId}
      and project_grants.role in (${sql.join(roles)})
  ))`;
}
