import { randomBytes } from 'node:crypto';
import { LIMITS } from '@bindery/contract';
import type { Selectable } from 'kysely';
import { type LibraryAddress, loadLibraryForMember, loadPublishTarget } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { DatabaseContext, MaintenanceContext } from '../../context.ts';
import type { Database } from '../../database/schema.ts';
import type { MultipartUploadsTable } from '../../database/tables/libraries.ts';
import { ServiceError } from '../../errors.ts';
import { findLibraryStore } from '../../objects/library-store.ts';
import type { AnnouncedUpload, MultipartUpload, StoredObject } from '../../objects/store.ts';
import { isProposed, UPLOAD_LIFETIME } from '../../objects/uploads.ts';

/** Returns the upload that an earlier request started for the same path, size and hash, or a new one. */
export async function beginOrResume(
  context: MaintenanceContext,
  announced: AnnouncedUpload,
): Promise<MultipartUpload> {
  const begun = await findUnfinished(context, announced);
  return begun && (await resume(context, begun)) ? begun : begin(context, announced);
}

async function findUnfinished(
  { db, clock }: DatabaseContext,
  { storeId, path, size, sha256 }: AnnouncedUpload,
): Promise<MultipartUpload | null> {
  const row = await db
    .selectFrom('multipart_uploads')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('path', '=', path)
    .where('size', '=', size)
    .where('sha256', sha256 === null ? 'is' : '=', sha256)
    .where('completed_sha256', 'is', null)
    .where('expires_at', '>', clock())
    .orderBy('created_at')
    .executeTakeFirst();
  return row ? uploadOf(row) : null;
}

/** False if it was aborted or completed in the meantime. */
async function resume({ db, clock, objects }: MaintenanceContext, upload: MultipartUpload): Promise<boolean> {
  await objects.beginMultipart(upload);
  const { numUpdatedRows } = await db
    .updateTable('multipart_uploads')
    .set({ expires_at: clock() + UPLOAD_LIFETIME })
    .where('id', '=', upload.uploadId)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return true;
  await objects.abortMultipart(upload);
  return false;
}

async function begin(
  { db, clock, objects }: MaintenanceContext,
  announced: AnnouncedUpload,
): Promise<MultipartUpload> {
  const { storeId, path, size, sha256 } = announced;
  const now = clock();
  const row = {
    id: randomBytes(16).toString('hex'),
    store_id: storeId,
    path,
    size,
    sha256,
    part_size: partSizeFor(size),
    created_at: now,
    expires_at: now + UPLOAD_LIFETIME,
    completed_sha256: null,
  };
  await db.insertInto('multipart_uploads').values(row).execute();
  const upload = uploadOf(row);
  await objects.beginMultipart(upload);
  return upload;
}

/** An upload that the service knows, and what it became if it was completed. */
export interface RecordedUpload extends MultipartUpload {
  completed: StoredObject | null;
}

/**
 * Resolves a client's address to an upload to a library that the viewer may publish to or, of one for a proposal, may
 * propose to. Throws `upload_not_found` if it was aborted, has expired or never existed.
 */
export async function loadUpload(
  context: DatabaseContext,
  viewer: Viewer,
  { uploadId, ...address }: LibraryAddress & { uploadId: string },
): Promise<RecordedUpload> {
  const upload = await findUpload(context, await findLibraryStore(context.db, address), uploadId);
  if (upload !== null && isProposed(upload.path))
    await loadLibraryForMember(context.db, viewer, address, { write: true });
  else await loadPublishTarget(context.db, viewer, address);
  if (upload === null) throw uploadNotFound();
  return upload;
}

/** Returns an upload of a store. Throws `upload_not_found`. */
export async function requireUpload(
  context: DatabaseContext,
  storeId: string | null,
  uploadId: string,
): Promise<RecordedUpload> {
  const upload = await findUpload(context, storeId, uploadId);
  if (upload === null) throw uploadNotFound();
  return upload;
}

async function findUpload(
  { db, clock }: DatabaseContext,
  storeId: string | null,
  uploadId: string,
): Promise<RecordedUpload | null> {
  const row = await db
    .selectFrom('multipart_uploads')
    .selectAll()
    .where('id', '=', uploadId)
    .where('store_id', '=', storeId ?? '')
    .where('expires_at', '>', clock())
    .executeTakeFirst();
  if (!row) return null;
  const { completed_sha256: sha256, size } = row;
  return { ...uploadOf(row), completed: sha256 === null ? null : { sha256, size } };
}

/**
 * Aborts an upload: deletes its parts immediately and accepts no more. Throws `upload_not_found` for a completed one.
 */
export async function abortUpload(context: MaintenanceContext, upload: RecordedUpload): Promise<void> {
  if (upload.completed !== null) throw uploadNotFound();
  await deleteUpload(context.db, upload.uploadId);
  await context.objects.abortMultipart(upload);
}

function uploadNotFound(): ServiceError {
  return new ServiceError(
    'upload_not_found',
    'There is no such upload: it was completed, was aborted or has expired.',
  );
}

export async function deleteUpload(db: Database, uploadId: string): Promise<void> {
  await db.deleteFrom('multipart_uploads').where('id', '=', uploadId).execute();
}

function uploadOf(row: Selectable<MultipartUploadsTable>): MultipartUpload {
  return {
    uploadId: row.id,
    storeId: row.store_id,
    path: row.path,
    size: row.size,
    sha256: row.sha256,
    partSize: row.part_size,
  };
}

const MIB = 1024 * 1024;

/**
 * Bytes of each part except the last of a file of `size` bytes: whole MiB, large enough to bound the number of
 * parts.
 */
function partSizeFor(size: number): number {
  const smallest = Math.ceil(size / LIMITS.parts / MIB) * MIB;
  return Math.max(LIMITS.partSize, smallest);
}

/** The numbers of all parts, counted from 1. */
export function partNumbers({ size, partSize }: { size: number; partSize: number }): number[] {
  return Array.from({ length: Math.ceil(size / partSize) }, (_, index) => index + 1);
}

/** Bytes of one part. */
export function sizeOfPart(
  { size, partSize }: { size: number; partSize: number },
  partNumber: number,
): number {
  return Math.min(partSize, size - (partNumber - 1) * partSize);
}
