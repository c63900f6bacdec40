import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../context.ts';
import { ServiceError } from '../../errors.ts';
import { BuiltFiles } from './built-files.ts';
import { appPolicy, type ViewerHashes, viewerPolicy, workerPolicy } from './policies.ts';
import { sessionView } from './session.ts';

/** The URL path of the dashboard. */
export const DASHBOARD = '/app/';

/** Documents are never cached, so that a page always refers to files that exist. */
const DOCUMENT = { 'cache-control': 'no-store' };

/** The name of an asset contains the hash of its content. */
const ASSET = { 'cache-control': 'public, max-age=31536000, immutable' };

/** Serves the dashboard: two documents with their scripts, all static. Pages are routed in the browser. */
export async function dashboardViews(app: FastifyInstance, context: Context, folder: string): Promise<void> {
  const files = new BuiltFiles(folder);
  const hashes: ViewerHashes = JSON.parse(await readFile(join(folder, 'viewer-policy.json'), 'utf8'));

  await sessionView(app, context);

  app.get('/app', async (_request, reply) => reply.redirect(DASHBOARD, 303));

  app.get(`${DASHBOARD}*`, async (request, reply) => {
    reply.headers({ ...DOCUMENT, 'content-security-policy': appPolicy(context) });
    return files.send(request, reply, 'index.html');
  });

  app.get(`${DASHBOARD}viewer.html`, async (request, reply) => {
    reply.headers({
      ...DOCUMENT,
      'content-security-policy': viewerPolicy(hashes),
      'x-frame-options': 'SAMEORIGIN',
    });
    return files.send(request, reply, 'viewer.html');
  });

  app.get<{ Params: { name: string } }>(`${DASHBOARD}assets/:name`, async (request, reply) => {
    const path = `assets/${request.params.name}`;
    if (!files.has(path)) throw new ServiceError('not_found', 'There is no such file.');
    reply.headers({ ...ASSET, 'content-security-policy': workerPolicy(context) });
    return files.send(request, reply, path);
  });
}
