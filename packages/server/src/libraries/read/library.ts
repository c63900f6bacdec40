import { loadLibrary, type ReadableLibrary, type RevisionAddress } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { DatabaseContext } from '../../context.ts';

/** Returns the library's row, from which `describeDetail` builds the response. */
export async function readLibrary(
  { db }: DatabaseContext,
  viewer: Viewer,
  address: RevisionAddress,
  readQuery: () => unknown,
): Promise<ReadableLibrary> {
  const library = await loadLibrary(db, viewer, address);
  readQuery();
  return library;
}
