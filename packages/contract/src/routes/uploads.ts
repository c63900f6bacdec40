import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { sha256Hex } from '../names.ts';
import { libraryParams, noBody, noContent, none } from '../parameters.ts';
import { defineRoute } from '../route.ts';
import { transfer } from '../transfer.ts';

export const authorizeUploads = defineRoute({
  method: 'POST',
  path: '/namespaces/:namespace/libraries/:name/upload-authorizations',
  summary: 'How to send the bytes of up to 1,000 files',
  authentication: 'required',
  params: libraryParams,
  strictNames: ['name'],
  query: none,
  bodyLimit: LIMITS.pathsBody,
  body: z.strictObject({
    files: z
      .array(
        z.strictObject({
          relativePath: z.string(),
          size: z.int().min(0),
          mediaType: z.string().max(200).optional(),
          sha256: sha256Hex.optional(),
        }),
      )
      .min(1)
      .max(LIMITS.uploadBatch.files),
    /** Has the service read what it claims to hold; what is damaged or missing is wanted again. */
    verify: z.boolean().optional(),
  }),
  success: 200,
  response: z.object({ files: z.array(z.object({ relativePath: z.string(), transfer })) }),
  errors: ['not_found', 'forbidden', 'library_in_trash', 'unavailable', 'storage_full'],
});

const uploadParams = libraryParams.extend({ uploadId: z.string().max(100) });

export const completeUpload = defineRoute({
  method: 'POST',
  path: '/namespaces/:namespace/libraries/:name/uploads/:uploadId/complete',
  summary: 'Joins the parts of a multipart upload',
  authentication: 'required',
  params: uploadParams,
  query: none,
  bodyLimit: LIMITS.pathsBody,
  body: z.strictObject({
    parts: z
      .array(z.strictObject({ partNumber: z.int().min(1), etag: z.string().max(200) }))
      .max(LIMITS.parts),
  }),
  success: 200,
  response: z.object({ relativePath: z.string(), size: z.int(), sha256: z.string() }),
  errors: ['not_found', 'forbidden', 'upload_not_found', 'parts_missing', 'upload_mismatch'],
});

export const abortUpload = defineRoute({
  method: 'DELETE',
  path: '/namespaces/:namespace/libraries/:name/uploads/:uploadId',
  summary: 'Aborts a multipart upload and deletes its parts',
  authentication: 'required',
  params: uploadParams,
  query: none,
  body: noBody,
  success: 204,
  response: noContent,
  errors: ['not_found', 'forbidden', 'upload_not_found'],
});
