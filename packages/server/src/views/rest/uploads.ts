import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { loadPublishTarget } from '../../access/libraries.ts';
import type { Context } from '../../context.ts';
import { serve } from '../../http/serve.ts';
import { authorizeUploads } from '../../libraries/publish/authorize.ts';
import { completeUpload } from '../../libraries/publish/complete.ts';
import { abortUpload, loadUpload } from '../../libraries/publish/multipart.ts';
import { sendList } from './send-list.ts';

export function uploadViews(app: FastifyInstance, context: Context): void {
  const { uploads } = routes;

  serve(app, context, uploads.authorizeUploads, {
    access: ({ db }, viewer, library) => loadPublishTarget(db, viewer, library),
    async run(context, { viewer, target, body, reply }) {
      const { files } = await authorizeUploads(context, viewer, target, body);
      return sendList(reply, {}, 'files', files.length, files);
    },
  });

  serve(app, context, uploads.completeUpload, {
    access: loadUpload,
    run: (context, { target, body }) => completeUpload(context, target, body),
  });

  serve(app, context, uploads.abortUpload, {
    access: loadUpload,
    run: (context, { target }) => abortUpload(context, target),
  });
}
