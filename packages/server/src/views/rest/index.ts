import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../parts.ts';
import { adminViews } from './admin.ts';
import { adminWebhookViews } from './admin-webhooks.ts';
import { bindrViews } from './bindrs.ts';
import { libraryChangeViews } from './library-changes.ts';
import { libraryReadViews } from './library-reads.ts';
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
export function restViews(app: FastifyInstance, parts: Parts): void {
  serviceViews(app, parts);
  const { role } = parts.configuration;
  if (role !== 'api') deviceLoginViews(app, parts);
  if (role === 'auth') return;
  tokenViews(app, parts);
  namespaceViews(app, parts);
  uploadViews(app, parts);
  libraryReadViews(app, parts);
  libraryChangeViews(app, parts);
  releaseViews(app, parts);
  searchViews(app, parts);
  projectViews(app, parts);
  noteViews(app, parts);
  bindrViews(app, parts);
  webhookViews(app, parts);
  adminViews(app, parts);
  adminWebhookViews(app, parts);
}
