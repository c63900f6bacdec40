import { loadLibrary, type ReadableLibrary, type RevisionAddress } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { Parts } from '../../parts.ts';

/** The library as its row; `describeDetail` makes the response of it. */
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
