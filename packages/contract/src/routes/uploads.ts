import { z } from 'zod';
import { endpoints } from '../endpoints.ts';
import { LIMITS } from '../limits.ts';
import { sha256Hex } from '../name-schemas.ts';
import { libraryParams } from '../parameters.ts';
import { defineRoute } from '../route.ts';
import { transfer } from '../transfer.ts';

export const authorizeUploads = defineRoute({
  ...endpoints.uploads.authorizeUploads,
  summary: 'How to send the bytes of up to 1,000 files',
  params: libraryParams,
  strictNames: ['name'],
  bodyLimit: LIMITS.pathsBody,
  body: z.strictObject({
    files: z
      .array(
        z.strictObject({
          relativePath: z.string().meta({ maxLength: LIMITS.path.bytes }),
          size: z.int().min(0),
          mediaType: z.string().max(200).optional(),
          sha256: sha256Hex.optional(),
        }),
      )
      .min(1)
      .max(LIMITS.uploadBatch.files),
    /** Makes the service read what it claims to hold; what is damaged or missing has to be uploaded again. */
    verify: z.boolean().optional(),
  }),
  response: z.object({ files: z.array(z.object({ relativePath: z.string(), transfer })) }),
  errors: ['not_found', 'forbidden', 'library_in_trash', 'unavailable', 'storage_full', 'quota_exceeded'],
});

const uploadParams = libraryParams.extend({ uploadId: z.string().max(100) });

export const completeUpload = defineRoute({
  ...endpoints.uploads.completeUpload,
  summary: 'Joins the parts of a multipart upload',
  params: uploadParams,
  bodyLimit: LIMITS.pathsBody,
  body: z.strictObject({
    parts: z
      .array(z.strictObject({ partNumber: z.int().min(1), etag: z.string().max(200) }))
      .max(LIMITS.parts),
  }),
  response: z.object({ relativePath: z.string(), size: z.int(), sha256: z.string() }),
  errors: ['not_found', 'forbidden', 'upload_not_found', 'parts_missing', 'upload_mismatch'],
});

export const abortUpload = defineRoute({
  ...endpoints.uploads.abortUpload,
  summary: 'Aborts a multipart upload and deletes its parts',
  params: uploadParams,
  errors: ['not_found', 'forbidden', 'upload_not_found'],
});
