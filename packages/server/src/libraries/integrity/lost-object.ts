import type { ObjectAddress } from '../../objects/store.ts';
import type { Parts } from '../../parts.ts';
import { type OpenParts, openRevision } from '../read/open-revision.ts';

/**
 * Whether a missing object is one that a library refers to, and so is lost: then it is logged and counted. Others
 * were reclaimed with their revision or purged with their library.
 */
export async function noteIfLost(
  parts: OpenParts & Pick<Parts, 'log' | 'metrics'>,
  { storeId, sha256 }: ObjectAddress,
): Promise<boolean> {
  const library = await parts.db
    .selectFrom('libraries')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('state', '=', 'active')
    .executeTakeFirst();
  if (!library) return false;
  const { index } = await openRevision(parts, library);
  if (index.files.sizeOfContent(sha256) === null) return false;
  parts.log.error(
    { storeId, library: library.name, sha256 },
    'a file of a library is missing from the store',
  );
  parts.metrics.damageFound('file');
  return true;
}
