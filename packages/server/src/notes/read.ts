import { loadNote, type NoteAddress, type ReadableNote } from '../access/notes.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Parts } from '../parts.ts';

/** The Note as its row; `describeNote` makes the response of it. */
export async function readNote(
  { db }: Pick<Parts, 'db'>,
  viewer: Viewer,
  address: NoteAddress,
): Promise<ReadableNote> {
  return loadNote(db, viewer, address);
}
