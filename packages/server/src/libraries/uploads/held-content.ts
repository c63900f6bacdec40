import type { LibraryRow } from '../../access/libraries.ts';
import type { StoredObject } from '../../objects/store.ts';
import type { Parts } from '../../parts.ts';
import { openRevision } from '../revision/open.ts';

/**
 * The hashes of those contents that a register of this library would find, and that nothing deletes before: they
 * wait (and their time starts anew), or the current revision holds them. What merely lies in the store does not
 * count, because it may belong to an old revision whose grace period ends any moment.
 */
export async function heldContent(
  parts: Pick<Parts, 'db' | 'objects' | 'revisions' | 'indexMender'>,
  storeId: string,
  library: LibraryRow | null,
  contents: readonly StoredObject[],
): Promise<ReadonlySet<string>> {
  if (contents.length === 0) return new Set();
  const waiting = await parts.objects.waiting(storeId, contents);
  if (library === null) return waiting;
  const { row, index } = await openRevision(parts, library);
  const published = contents.filter(
    ({ sha256, size }) => sha256 === row.manifest_sha256 || index.files.sizeOfContent(sha256) === size,
  );
  return new Set([...waiting, ...published.map(({ sha256 }) => sha256)]);
}
