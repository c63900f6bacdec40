import { loadNote, loadNoteRow, type NoteAddress, type NoteRow, type ReadableNote } from '../access/notes.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Parts } from '../parts.ts';

/** The Note and what the viewer may do with it; `describeNote` makes the response of it. */
export async function readNote(
  { db }: Pick<Parts, 'db'>,
  viewer: Viewer,
  address: NoteAddress,
): Promise<ReadableNote> {
  return loadNote(db, viewer, address);
}

/** The Note alone. */
export async function readNoteRow(
  { db }: Pick<Parts, 'db'>,
  viewer: Viewer,
  address: NoteAddress,
): Promise<NoteRow> {
  return loadNoteRow(db, viewer, address);
}
