import { LEGACY_MANIFEST_PATH, MANIFEST_PATH } from '@bindery/contract';
import { sql } from 'kysely';
import type { MaintenanceContext } from '../../context.ts';
import { deleteBefore } from '../../database/queries.ts';
import type { Reclaimed } from '../store.ts';
import { UPLOAD_LIFETIME } from '../uploads.ts';
import { deleteOldLeases } from './doomed-objects.ts';

/**
 * Deletes uploads that were never registered: files and parts older than a day, then their rows. Can run at any time.
 */
export async function deleteAbandonedUploads({
  db,
  objects,
  clock,
}: Pick<MaintenanceContext, 'db' | 'objects' | 'clock'>): Promise<Reclaimed> {
  const before = clock() - UPLOAD_LIFETIME;
  const freed = await objects.deleteAbandoned(before);
  const receipt = {
    key: ['store_id', 'path', 'sha256'],
    time: 'received_at',
    where: sql<boolean>`not (${UNREGISTERED_MANIFEST})`,
  } as const;
  await deleteBefore(db, 'upload_receipts', receipt, before);
  await deleteBefore(db, 'multipart_uploads', { key: ['id'], time: 'expires_at' }, clock());
  await deleteBefore(db, 'direct_uploads', { key: ['id'], time: 'created_at' }, before);
  await deleteOldLeases(db, before);
  return freed;
}

/**
 * Selects the receipt of the last manifest that was not registered. It is kept so that a register that comes late, or
 * after the clock jumped ahead, finds out that the manifest was deleted. Otherwise the library's current manifest would
 * be registered again as if nothing had been uploaded.
 */
const UNREGISTERED_MANIFEST = sql<boolean>`
  path in (${MANIFEST_PATH}, ${LEGACY_MANIFEST_PATH})
  and number = (select max(newer.number) from upload_receipts as newer
    where newer.store_id = upload_receipts.store_id and newer.path = upload_receipts.path)
  and exists (select 1 from libraries
    where libraries.store_id = upload_receipts.store_id and libraries.uploads_settled < upload_receipts.number)`;
