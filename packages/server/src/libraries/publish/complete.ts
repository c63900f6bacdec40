import type { BodyOf, ResponseOf, routes } from '@bindery/contract';
import type { DatabaseContext, MaintenanceContext } from '../../context.ts';
import { invalidParameter, ServiceError } from '../../errors.ts';
import type { MultipartUpload, StoredObject } from '../../objects/store.ts';
import { namedPath } from '../../objects/uploads.ts';
import { deleteUpload, partNumbers, type RecordedUpload, requireUpload } from './multipart.ts';
import { insertReceipts } from './receive.ts';

type CompleteUpload = typeof routes.uploads.completeUpload;
type ListedParts = BodyOf<CompleteUpload>['parts'];

/**
 * Joins the parts of an upload and records its receipt. The client lists the parts that it knows; the others are taken
 * from the store. Completing it again returns the same result.
 */
export async function completeUpload(
  context: MaintenanceContext,
  upload: RecordedUpload,
  { parts: listed }: BodyOf<CompleteUpload>,
): Promise<ResponseOf<CompleteUpload>> {
  checkNumbers(listed, upload);
  const { sha256, size } = upload.completed ?? (await complete(context, listed, upload));
  return { relativePath: namedPath(upload.path), size, sha256 };
}

async function complete(
  context: MaintenanceContext,
  listed: ListedParts,
  upload: MultipartUpload,
): Promise<StoredObject> {
  await checkTags(context, listed, upload);
  const stored = await joinParts(context, upload);
  await recordCompleted(context, upload, stored);
  return stored;
}

/** Records one receipt per upload, however often it is completed. Throws `upload_not_found` if it was aborted. */
async function recordCompleted(
  { db, clock }: DatabaseContext,
  { uploadId, storeId, path }: MultipartUpload,
  { sha256, size }: StoredObject,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('multipart_uploads')
      .set({ completed_sha256: sha256 })
      .where('id', '=', uploadId)
      .where('completed_sha256', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) {
      await insertReceipts({ db: trx, clock }, [{ storeId, path, sha256, size }]);
    } else {
      await requireUpload({ db: trx, clock }, storeId, uploadId);
    }
  });
}

/** Joins the parts. If the result is not what was announced, deletes the parts and the upload. */
async function joinParts({ db, objects }: MaintenanceContext, upload: MultipartUpload) {
  try {
    return await objects.completeMultipart(upload);
  } catch (error) {
    const hopeless = error instanceof ServiceError && error.code === 'upload_mismatch';
    if (hopeless) await deleteUpload(db, upload.uploadId);
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

/** Throws `upload_mismatch` if the client's ETag of a part differs from that of the stored part. */
async function checkTags(
  { objects }: MaintenanceContext,
  listed: ListedParts,
  upload: MultipartUpload,
): Promise<void> {
  const stored = new Map(
    (await objects.storedParts(upload)).map(({ partNumber, etag }) => [partNumber, etag]),
  );
  const other = listed.filter(({ partNumber, etag }) => {
    const arrived = stored.get(partNumber);
    return arrived !== undefined && unquoteETag(arrived) !== unquoteETag(etag);
  });
  if (other.length === 0) return;
  const numbers = other.slice(0, 100).map(({ partNumber }) => partNumber);
  throw new ServiceError(
    'upload_mismatch',
    `These parts were stored with different bytes: ${numbers.join(', ')}.`,
    {
      parts: numbers,
      total: other.length,
    },
  );
}

function unquoteETag(etag: string): string {
  return etag.replace(/^"|"$/g, '');
}
