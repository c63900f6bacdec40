import { loadNote, loadNoteRow, type NoteAddress, type NoteRow, type ReadableNote } from '../access/notes.ts';
import type { Viewer } from '../access/viewer.ts';
import type { DatabaseContext } from '../context.ts';

/** Returns the Note and what the viewer can do with it; `describeNote` turns it into the response. */
export async function readNote(
  { db }: DatabaseContext,
  viewer: Viewer,
  address: NoteAddress,
): Promise<ReadableNote> {
  return loadNote(db, viewer, address);
}

/** Returns only the Note's row. */
export async function readNoteRow(
  { db }: DatabaseContext,
  viewer: Viewer,
  address: NoteAddress,
): Promise<NoteRow> {
  return loadNoteRow(db, viewer, address);
}
