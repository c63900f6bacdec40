import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { abortUpload } from '../../libraries/uploads/abort.ts';
import { authorizeUploads } from '../../libraries/uploads/authorize.ts';
import { completeUpload } from '../../libraries/uploads/complete.ts';
import type { Parts } from '../../parts.ts';
import { sendList } from './send-list.ts';
import { serve } from './serve.ts';

export function uploadViews(app: FastifyInstance, parts: Parts): void {
  const { uploads } = routes;

  serve(app, parts, uploads.authorizeUploads, async ({ viewer, params, body, reply }) => {
    const { files } = await authorizeUploads(parts, viewer, params, body);
    return sendList(reply, {}, 'files', files.length, files);
  });

  serve(app, parts, uploads.completeUpload, async ({ viewer, params, body }) =>
    completeUpload(parts, viewer, params, body),
  );

  serve(app, parts, uploads.abortUpload, async ({ viewer, params }) => {
    await abortUpload(parts, viewer, params);
    return null;
  });
}
