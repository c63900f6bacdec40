import { type LibraryAddress, loadPublishTarget } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { Parts } from '../../parts.ts';
import { findLibraryStore } from '../library-store.ts';
import { deleteUpload, loadUpload, uploadNotFound } from './multipart.ts';

/**
 * Aborts an upload: deletes its parts immediately and accepts no more. Throws `upload_not_found`, also for a completed
 * upload.
 */
export async function abortUpload(
  parts: Pick<Parts, 'db' | 'objects' | 'clock'>,
  viewer: Viewer,
  { uploadId, ...address }: LibraryAddress & { uploadId: string },
): Promise<void> {
  await loadPublishTarget(parts.db, viewer, address);
  const upload = await loadUpload(parts, await findLibraryStore(parts.db, address), uploadId);
  if (upload.completed !== null) throw uploadNotFound();
  await deleteUpload(parts.db, uploadId);
  await parts.objects.abortMultipart(upload);
}
