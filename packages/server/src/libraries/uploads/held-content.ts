import type { LibraryRow } from '../../access/libraries.ts';
import type { StoredObject } from '../../objects/store.ts';
import type { Parts } from '../../parts.ts';

/**
 * The hashes of those contents that a register of this library would find, and that nothing deletes before: they
 * wait (and their time starts anew), or the current revision holds them. What merely lies in the store does not
 * count, because it may belong to an old revision whose grace period ends any moment.
 */
export async function heldContent(
  { objects }: Pick<Parts, 'objects'>,
  storeId: string,
  _library: LibraryRow | null,
  contents: readonly StoredObject[],
): Promise<ReadonlySet<string>> {
  return objects.waiting(storeId, contents);
}
