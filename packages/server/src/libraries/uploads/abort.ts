import { loadPublishTarget } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { Parts } from '../../parts.ts';
import { findLibraryStore } from '../library-store.ts';
import { forgetUpload, loadUpload } from './multipart.ts';

/** Gives up an upload: its parts go at once. */
export async function abortUpload(
  parts: Pick<Parts, 'db' | 'objects' | 'clock'>,
  viewer: Viewer,
  { slug, name, uploadId }: { slug: string; name: string; uploadId: string },
): Promise<void> {
  await loadPublishTarget(parts.db, viewer, slug, name);
  const upload = await loadUpload(parts, await findLibraryStore(parts.db, slug, name), uploadId);
  await forgetUpload(parts.db, uploadId);
  await parts.objects.abortMultipart(upload);
}
