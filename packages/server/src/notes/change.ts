import type { BodyOf, Note, routes } from '@bindery/contract';
import { loadNote, lockNoteForWrite, type NoteAddress } from '../access/notes.ts';
import type { Viewer } from '../access/viewer.ts';
import { actorOf } from '../audit/actor.ts';
import { recordAudit } from '../audit/record.ts';
import type { DatabaseContext } from '../context.ts';
import { searchText } from '../database/queries.ts';
import { describeNote } from './describe.ts';

type Input = BodyOf<typeof routes.notes.patchNote>;

/** Renames a Note or changes who can see it. */
export async function changeNote(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  address: NoteAddress,
  input: () => Input,
): Promise<Note> {
  return db.transaction().execute(async (trx) => {
    const { row } = await lockNoteForWrite(trx, viewer, address);
    const { name = row.name, visibility = row.visibility } = input();
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
