import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Database, MultipartUploadsTable } from '../../database/schema.ts';
import { ServiceError } from '../../errors.ts';
import type { AnnouncedUpload, MultipartUpload } from '../../objects/store.ts';
import type { Parts } from '../../parts.ts';
import { partSizeFor } from './part-plan.ts';

/** Milliseconds for which parts are kept after the last time that somebody asked for the upload. */
export const UPLOAD_LIFETIME = 24 * 60 * 60 * 1_000;

/** The upload that an earlier request began for the same path, size and hash, or a new one. */
export async function beginOrResume(
  { db, clock }: Pick<Parts, 'db' | 'clock'>,
  announced: AnnouncedUpload,
): Promise<MultipartUpload> {
  const now = clock();
  const expires_at = now + UPLOAD_LIFETIME;
  const { storeId, path, size, sha256 } = announced;
  const begun = await db
    .selectFrom('multipart_uploads')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('path', '=', path)
    .where('size', '=', size)
    .where('sha256', sha256 === null ? 'is' : '=', sha256)
    .where('expires_at', '>', now)
    .orderBy('created_at')
    .executeTakeFirst();
  if (begun) {
    await db.updateTable('multipart_uploads').set({ expires_at }).where('id', '=', begun.id).execute();
    return uploadOf(begun);
  }
  const row = {
    id: randomBytes(16).toString('hex'),
    store_id: storeId,
    path,
    size,
    sha256,
    part_size: partSizeFor(size),
    created_at: now,
    expires_at,
  };
  await db.insertInto('multipart_uploads').values(row).execute();
  return uploadOf(row);
}

/** An upload of a store. Throws `upload_not_found` where it was completed, aborted, has expired or never was. */
export async function loadUpload(
  { db, clock }: Pick<Parts, 'db' | 'clock'>,
  storeId: string | null,
  uploadId: string,
): Promise<MultipartUpload> {
  const row = await db
    .selectFrom('multipart_uploads')
    .selectAll()
    .where('id', '=', uploadId)
    .where('store_id', '=', storeId ?? '')
    .where('expires_at', '>', clock())
    .executeTakeFirst();
  if (row) return uploadOf(row);
  throw new ServiceError(
    'upload_not_found',
    'There is no such upload: it was completed, aborted, or has expired.',
  );
}

export async function forgetUpload(db: Database, uploadId: string): Promise<void> {
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
