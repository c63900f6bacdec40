import { loadNote, loadNoteRow, type NoteAddress, type NoteRow, type ReadableNote } from '../access/notes.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Parts } from '../parts.ts';

/** Returns the Note and what the viewer can do with it; `describeNote` turns it into the response. */
export async function readNote(
  { db }: Pick<Parts, 'db'>,
  viewer: Viewer,
  address: NoteAddress,
): Promise<ReadableNote> {
  return loadNote(db, viewer, address);
}

/** Returns only the Note's row. */
export async function readNoteRow(
  { db }: Pick<Parts, 'db'>,
  viewer: Viewer,
  address: NoteAddress,
): Promise<NoteRow> {
  return loadNoteRow(db, viewer, address);
}
