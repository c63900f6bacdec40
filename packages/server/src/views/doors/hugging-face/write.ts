import { LIBRARY_NAME, LIMITS, sha256Hex } from '@bindery/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { loadPublishTarget, type PublishTarget } from '../../../access/libraries.ts';
import type { Viewer } from '../../../access/viewer.ts';
import type { Context } from '../../../context.ts';
import { type Commit, publishCommit, publishEmpty } from '../../../doors/publish.ts';
import { invalidParameter, notFound } from '../../../errors.ts';
import { openRevision } from '../../../objects/open-revision.ts';
import { addressOf } from '../address.ts';
import { viewerAtDoor } from '../viewer.ts';
import { parseJsonBody, parseJsonText, textOf } from './body.ts';
import { MAIN, type RepositoryRequest } from './read.ts';

/** What Hugging Face's clients write below `/hf`: a library, its files, and the commit that publishes them. */
export function writeViews(app: FastifyInstance, context: Context): void {
  app.post('/hf/api/repos/create', async (request, reply) => {
    const { name, organization, ...asked } = parseJsonBody(createRule, request);
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
      const { files } = parseJsonBody(preuploadRule, request);
      return { files: files.map(({ path }) => ({ path, uploadMode: 'lfs', shouldIgnore: false })) };
    });

    app.post(
      `${repository}/commit/:revision`,
      { bodyLimit: LIMITS.pathsBody },
      async (request: RepositoryRequest) => {
        const { viewer, target } = await loadTarget(context, request);
        const { row } = target;
        if (row === null) throw notFound();
        const commit = await readCommit(context, target, request);
        const oid = await publishCommit(context, viewer, { ...target, row }, commit);
        const { namespace, name } = request.params;
        const commitUrl = `${context.publicUrl()}/hf/${kind}/${namespace}/${name}/commit/${oid}`;
        return { success: true, commitOid: oid, commitUrl, hookOutput: '' };
      },
    );
  }
}

const text = z.string();
const size = z.int().min(0);

const createRule = z.looseObject({
  name: text,
  organization: text.nullish(),
  type: text.nullish(),
  private: z.boolean().nullish(),
  visibility: text.nullish(),
});

const preuploadRule = z.looseObject({ files: z.array(z.looseObject({ path: text, size })).max(1_000) });

const change = z.discriminatedUnion('key', [
  z.looseObject({ key: z.literal('header'), value: z.looseObject({ parentCommit: text.nullish() }) }),
  z.looseObject({
    key: z.literal('file'),
    value: z.looseObject({ path: text, content: text, encoding: z.enum(['base64', 'utf-8']).optional() }),
  }),
  z.looseObject({
    key: z.literal('lfsFile'),
    value: z.looseObject({ path: text, oid: sha256Hex, size: size.nullish() }),
  }),
  z.looseObject({ key: z.enum(['deletedFile', 'deletedFolder']), value: z.looseObject({ path: text }) }),
]);

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

/** Reads a commit: one JSON object in each line. */
async function readCommit(context: Context, target: PublishTarget, request: FastifyRequest): Promise<Commit> {
  const commit: Commit = { changes: [] };
  for (const line of textOf(request).split('\n')) {
    if (line.trim() === '') continue;
    const { key, value } = parseJsonText(change, line);
    switch (key) {
      case 'header':
        commit.parent = value.parentCommit ?? undefined;
        break;
      case 'file': {
        const bytes = Buffer.from(value.content, value.encoding === 'utf-8' ? 'utf8' : 'base64');
        commit.changes.push({ kind: 'write', path: value.path, bytes });
        break;
      }
      case 'lfsFile': {
        const known = value.size ?? (await sizeOfContent(context, target, value.oid));
        commit.changes.push({ kind: 'put', path: value.path, sha256: value.oid, size: known });
        break;
      }
      case 'deletedFile':
        commit.changes.push({ kind: 'delete', path: value.path });
        break;
      case 'deletedFolder':
        commit.changes.push({ kind: 'delete', path: `${value.path.replace(/\/$/, '')}/` });
    }
  }
  return commit;
}

/** The size of a file that a commit copies, which it names by its hash alone. */
async function sizeOfContent(context: Context, { row }: PublishTarget, sha256: string): Promise<number> {
  const found = row && (await openRevision(context, row)).index.files.sizeOfContent(sha256);
  if (found === null)
    throw invalidParameter('size', 'size: it is needed for a file that the library does not have.');
  return found;
}
