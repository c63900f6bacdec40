import type { Reclaimed } from '../../objects/store.ts';
import type { Parts } from '../../parts.ts';
import { UPLOAD_LIFETIME } from './multipart.ts';

/**
 * Deletes what was uploaded and never registered: files and parts that have waited for a day, then what the
 * database knows of them. May run at any time.
 */
export async function removeAbandonedUploads({
  db,
  objects,
  clock,
}: Pick<Parts, 'db' | 'objects' | 'clock'>): Promise<Reclaimed> {
  const before = clock() - UPLOAD_LIFETIME;
  const freed = await objects.removeAbandoned(before);
  await db.deleteFrom('upload_receipts').where('received_at', '<', before).execute();
  await db.deleteFrom('multipart_uploads').where('expires_at', '<=', clock()).execute();
  return freed;
}
