import type { FastifyInstance } from 'fastify';
import type { Context } from '../../context.ts';
import { adminViews } from './admin.ts';
import { adminWebhookViews } from './admin-webhooks.ts';
import { bindrViews } from './bindrs.ts';
import { libraryChangeViews, libraryReadViews } from './libraries.ts';
import { deviceLoginViews, tokenViews } from './login.ts';
import { namespaceViews } from './namespaces.ts';
import { noteViews } from './notes.ts';
import { projectViews } from './projects.ts';
import { releaseViews } from './releases.ts';
import { searchViews } from './search.ts';
import { serviceViews } from './service.ts';
import { uploadViews } from './uploads.ts';
import { webhookViews } from './webhooks.ts';

/** Every REST route of the service, by resource. */
export function restViews(app: FastifyInstance, context: Context): void {
  serviceViews(app, context);
  const { role } = context.configuration;
  if (role !== 'api') deviceLoginViews(app, context);
  if (role === 'auth') return;
  tokenViews(app, context);
  namespaceViews(app, context);
  uploadViews(app, context);
  libraryReadViews(app, context);
  libraryChangeViews(app, context);
  releaseViews(app, context);
  searchViews(app, context);
  projectViews(app, context);
  noteViews(app, context);
  bindrViews(app, context);
  webhookViews(app, context);
  adminViews(app, context);
  adminWebhookViews(app, context);
}
