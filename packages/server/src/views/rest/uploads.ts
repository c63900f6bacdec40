import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../context.ts';
import { serve } from '../../http/serve.ts';
import { authorizeUploads } from '../../libraries/publish/authorize.ts';
import { completeUpload } from '../../libraries/publish/complete.ts';
import { abortUpload } from '../../libraries/publish/multipart.ts';
import { sendList } from './send-list.ts';

export function uploadViews(app: FastifyInstance, context: Context): void {
  const { uploads } = routes;

  serve(app, context, uploads.authorizeUploads, async ({ viewer, params, body, reply }) => {
    const { files } = await authorizeUploads(context, viewer, params, body);
    return sendList(reply, {}, 'files', files.length, files);
  });

  serve(app, context, uploads.completeUpload, async ({ viewer, params, body }) =>
    completeUpload(context, viewer, params, body),
  );

  serve(app, context, uploads.abortUpload, async ({ viewer, params }) => {
    await abortUpload(context, viewer, params);
    return null;
  });
}
