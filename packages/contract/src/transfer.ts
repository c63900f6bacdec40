import { z } from 'zod';

const headers = z.record(z.string(), z.string());

/** One part of a multipart upload that is still missing. `size` is in bytes. */
export const uploadPart = z.object({
  partNumber: z.int().min(1),
  size: z.int(),
  url: z.string(),
  headers,
});
export type UploadPart = z.infer<typeof uploadPart>;

/** How to upload the bytes of one file. */
export const transfer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('present') }),
  z.object({ kind: z.literal('single-put'), put: z.object({ url: z.string(), headers }) }),
  z.object({
    kind: z.literal('s3-multipart'),
    uploadId: z.string(),
    partSize: z.int(),
    parts: z.array(uploadPart),
    complete: z.object({ method: z.literal('POST'), url: z.string() }),
    abort: z.object({ method: z.literal('DELETE'), url: z.string() }),
  }),
]);
export type Transfer = z.infer<typeof transfer>;
