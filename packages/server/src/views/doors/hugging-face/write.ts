import { LIBRARY_NAME, LIMITS } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { loadPublishTarget, type PublishTarget } from '../../../access/libraries.ts';
import type { Viewer } from '../../../access/viewer.ts';
import type { Context } from '../../../context.ts';
import { doorBodies } from '../../../doors/bodies.ts';
import { publishCommit, publishEmpty } from '../../../doors/publish.ts';
import { invalidParameter, notFound } from '../../../errors.ts';
import { readBodyAs } from '../../../http/body.ts';
import { keepWhileRegistering } from '../../../limits/connections.ts';
import { addressOf } from '../address.ts';
import { viewerAtDoor } from '../viewer.ts';
import { MAIN, type RepositoryRequest } from './read.ts';

/** What Hugging Face's clients write below `/hf`: a library, its files, and the commit that publishes them. */
export function writeViews(app: FastifyInstance, context: Context): void {
  app.post('/hf/api/repos/create', async (request, reply) => {
    const { createRepository } = doorBodies;
    const { name, organization, ...asked } = await readBodyAs(
      context.bodies,
      createRepository,
      request,
      'json',
    );
    const viewer = await viewerAtDoor(context, request);
    const owner = organization ?? (viewer.kind === 'account' ? viewer.userName : '');
    const target = await loadNamedTarget(context, viewer, owner, name);
    const url = `${context.publicUrl()}/hf/${asked.type === 'dataset' ? 'datasets' : 'models'}/${owner}/${name}`;
    if (target.row !== null) return reply.status(409).send({ error: 'The library exists.', url });
    const isPublic = asked.visibility === 'public' || asked.private === false;
    await publishEmpty(context, viewer, target, isPublic ? 'public' : 'private');
    return { url, name: `${owner}/${name}` };
  });

  app.post('/hf/api/validate-yaml', async () => ({ errors: [], warnings: [] }));

  for (const kind of ['models', 'datasets']) {
    const repository = `/hf/api/${kind}/:namespace/:name`;

    app.post(`${repository}/preupload/:revision`, async (request: RepositoryRequest) => {
      await loadTarget(context, request);
      const { files } = await readBodyAs(context.bodies, doorBodies.preupload, request, 'json');
      return { files: files.map(({ path }) => ({ path, uploadMode: 'lfs', shouldIgnore: false })) };
    });

    app.post(
      `${repository}/commit/:revision`,
      { bodyLimit: LIMITS.pathsBody },
      async (request: RepositoryRequest) => {
        const { viewer, target } = await loadTarget(context, request);
        const { row } = target;
        if (row === null) throw notFound();
        keepWhileRegistering(request);
        const commit = await readBodyAs(context.bodies, doorBodies.commit, request, 'lines');
        const oid = await publishCommit(context, viewer, { ...target, row }, commit);
        const { namespace, name } = request.params;
        const commitUrl = `${context.publicUrl()}/hf/${kind}/${namespace}/${name}/commit/${oid}`;
        return { success: true, commitOid: oid, commitUrl, hookOutput: '' };
      },
    );
  }
}

/** Loads what a member publishes to. There is one branch; releases do not change. */
async function loadTarget(
  context: Context,
  request: RepositoryRequest,
): Promise<{ viewer: Viewer; target: PublishTarget }> {
  const viewer = await viewerAtDoor(context, request);
  const { namespace, name, revision } = request.params;
  const target = await loadNamedTarget(context, viewer, namespace, name);
  if (revision !== MAIN) throw invalidParameter('revision', `revision: only "${MAIN}" can be changed.`);
  return { viewer, target };
}

/** Loads what a member publishes to by names that may be malformed. Throws `invalid_parameter` after access was checked. */
export async function loadNamedTarget(
  context: Context,
  viewer: Viewer,
  namespace: string,
  name: string,
): Promise<PublishTarget> {
  const address = addressOf(namespace, name);
  const target = await loadPublishTarget(context.db, viewer, address);
  if (address.name === '') throw invalidParameter('name', `name: ${LIBRARY_NAME.rule}.`);
  return target;
}
