import { deleteBefore } from '../../database/delete-before.ts';
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
  const receipt = { key: ['store_id', 'path', 'sha256'], time: 'received_at' } as const;
  await deleteBefore(db, 'upload_receipts', receipt, before);
  await deleteBefore(db, 'multipart_uploads', { key: ['id'], time: 'expires_at' }, clock());
  return freed;
}
