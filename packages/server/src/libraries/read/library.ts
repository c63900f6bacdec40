import { loadLibrary, type ReadableLibrary, type RevisionAddress } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { Parts } from '../../parts.ts';

/** Returns the library's row, from which `describeDetail` builds the response. */
export async function readLibrary(
  { db }: Pick<Parts, 'db'>,
  viewer: Viewer,
  address: RevisionAddress,
  readQuery: () => unknown,
): Promise<ReadableLibrary> {
  const library = await loadLibrary(db, viewer, address);
  readQuery();
  return library;
}
