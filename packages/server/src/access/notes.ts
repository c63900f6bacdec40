import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { Database } from '../database/schema.ts';
import type { NotesTable } from '../database/tables/accounts.ts';
import { forbidden, notFound } from '../errors.ts';
import { lockGrants, lockMembership } from './lock-rights.ts';
import {
  type AccountViewer,
  accountIdOf,
  requireAccount,
  requireWriteScope,
  tokenAppliesIn,
  type Viewer,
} from './viewer.ts';

export type NoteRow = Selectable<NotesTable>;

/** A Note as addressed by a client. */
export interface NoteAddress {
  namespace: string;
  noteId: string;
}

/** A Note that the viewer can read. */
export interface ReadableNote {
  row: NoteRow;
  namespace: string;
  viewerCanWrite: boolean;
}

/**
 * Queries every Note that the viewer can read: as a member of its namespace, because it is public, or through a grant
 * in a project that it is filed in. A public project does not make the Notes in it public.
 */
export function readableNotes(db: Database, viewer: Viewer) {
  return db
    .selectFrom('notes')
    .innerJoin('namespaces', 'namespaces.id', 'notes.namespace_id')
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.namespace_id', '=', 'notes.namespace_id')
        .on('memberships.account_id', '=', accountIdOf(viewer))
        .on(tokenAppliesIn(viewer, 'notes.namespace_id')),
    )
    .where((eb) => {
      const open = eb('notes.visibility', '=', 'public');
      // Alone, it is looked up in an index.
      if (viewer.kind === 'anonymous') return open;
      const isMember = eb('memberships.role', 'is not', null);
      return eb.or([open, isMember, hasGrant(viewer, ['reader', 'writer', 'admin'])]);
    });
}

/** Like `readableNotes`, with the columns of `ReadableNote`; pass the rows to `asReadableNote`. */
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

/**
 * Resolves a client's namespace and id to a Note that the viewer can read. Hidden and missing Notes give the same 404.
 */
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

/** Like `loadNote`, without checking whether the viewer can write the Note. */
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
 * Loads the Note for a change. Throws 401 without a token, 404 if the viewer cannot read it, 403 if the viewer can only
 * read it.
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

/** Like `loadNoteForWrite`, but locks the Note and the rows that give the right until the transaction ends. */
export async function lockNoteForWrite(
  trx: Database,
  viewer: Viewer,
  address: NoteAddress,
): Promise<ReadableNote> {
  await lockMembership(trx, viewer, address.namespace);
  const { row } = await loadNote(trx, requireAccount(viewer), address);
  await lockNote(trx, row.id);
  await lockGrants(trx, viewer, address.namespace);
  return loadNoteForWrite(trx, viewer, address);
}

/** Locks the Note's row until the transaction ends, which serialises changes to its associations. */
async function lockNote(trx: Database, noteId: string): Promise<void> {
  await trx
    .updateTable('notes')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('id', '=', noteId)
    .execute();
}

function hasGrant(viewer: AccountViewer, roles: readonly string[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${tokenAppliesIn(viewer, 'notes.namespace_id')} and exists (
    select 1 from nodes
    join project_grants on project_grants.project_id = nodes.project_id
    where nodes.note_id = notes.id
      and project_grants.account_id = ${viewer.accountId}
      and project_grants.role in (${sql.join(roles)})
  ))`;
}
