import type { BodyOf, ResponseOf, routes } from '@bindery/contract';
import { loadPublishTarget } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import { invalidParameter, ServiceError } from '../../errors.ts';
import type { MultipartUpload } from '../../objects/store.ts';
import type { Parts } from '../../parts.ts';
import { findLibraryStore } from '../library-store.ts';
import { forgetUpload, loadUpload } from './multipart.ts';
import { partNumbers } from './part-plan.ts';
import { insertReceipts } from './receipts.ts';

type CompleteUpload = typeof routes.uploads.completeUpload;
type ListedParts = BodyOf<CompleteUpload>['parts'];

/**
 * Joins the parts of an upload and notes its receipt. The client lists the parts that it knows; the others are taken
 * from what is stored.
 */
export async function completeUpload(
  parts: Pick<Parts, 'db' | 'objects' | 'clock'>,
  viewer: Viewer,
  { slug, name, uploadId }: { slug: string; name: string; uploadId: string },
  readBody: () => BodyOf<CompleteUpload>,
): Promise<ResponseOf<CompleteUpload>> {
  await loadPublishTarget(parts.db, viewer, slug, name);
  const upload = await loadUpload(parts, await findLibraryStore(parts.db, slug, name), uploadId);
  const listed = readBody().parts;
  checkNumbers(listed, upload);
  await checkTags(parts, listed, upload);
  const { sha256, size } = await joinParts(parts, upload);
  await insertReceipts(parts.db, [
    { store_id: upload.storeId, path: upload.path, sha256, size, received_at: parts.clock() },
  ]);
  await forgetUpload(parts.db, uploadId);
  return { relativePath: upload.path, size, sha256 };
}

/** Parts that together are not what was announced are gone, and the upload with them. */
async function joinParts({ db, objects }: Pick<Parts, 'db' | 'objects'>, upload: MultipartUpload) {
  try {
    return await objects.completeMultipart(upload);
  } catch (error) {
    const hopeless = error instanceof ServiceError && error.code === 'upload_mismatch';
    if (hopeless) await forgetUpload(db, upload.uploadId);
    throw error;
  }
}

function checkNumbers(listed: ListedParts, upload: MultipartUpload): void {
  const { length } = partNumbers(upload);
  for (const [at, { partNumber }] of listed.entries()) {
    if (partNumber <= length) continue;
    const pointer = `/parts/${at}/partNumber`;
    throw invalidParameter(pointer, `${pointer}: a number from 1 to ${length} (received ${partNumber}).`);
  }
}

/** What the client holds for a part that arrived whole must be what arrived. */
async function checkTags(
  { objects }: Pick<Parts, 'objects'>,
  listed: ListedParts,
  upload: MultipartUpload,
): Promise<void> {
  const stored = new Map(
    (await objects.storedParts(upload)).map(({ partNumber, etag }) => [partNumber, etag]),
  );
  const other = listed.filter(({ partNumber, etag }) => {
    const arrived = stored.get(partNumber);
    return arrived !== undefined && bare(arrived) !== bare(etag);
  });
  if (other.length === 0) return;
  const numbers = other.slice(0, 100).map(({ partNumber }) => partNumber);
  throw new ServiceError(
    'upload_mismatch',
    `Other bytes are stored for these parts: ${numbers.join(', ')}.`,
    {
      parts: numbers,
      total: other.length,
    },
  );
}

function bare(etag: string): string {
  return etag.replace(/^"|"$/g, '');
}
