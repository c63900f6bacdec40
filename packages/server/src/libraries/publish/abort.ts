import { type LibraryAddress, loadPublishTarget } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { MaintenanceContext } from '../../context.ts';
import { findLibraryStore } from '../../objects/library-store.ts';
import { deleteUpload, loadUpload, uploadNotFound } from './multipart.ts';

/**
 * Aborts an upload: deletes its parts immediately and accepts no more. Throws `upload_not_found`, also for a completed
 * upload.
 */
export async function abortUpload(
  context: MaintenanceContext,
  viewer: Viewer,
  { uploadId, ...address }: LibraryAddress & { uploadId: string },
): Promise<void> {
  await loadPublishTarget(context.db, viewer, address);
  const upload = await loadUpload(context, await findLibraryStore(context.db, address), uploadId);
  if (upload.completed !== null) throw uploadNotFound();
  await deleteUpload(context.db, uploadId);
  await context.objects.abortMultipart(upload);
}
