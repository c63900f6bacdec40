import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../context.ts';
import { packOf } from '../../doors/git/pack.ts';
import {
  acknowledgements,
  advertisementOf,
  FLUSH,
  inBands,
  readFetchRequest,
  refusal,
} from '../../doors/git/protocol.ts';
import { type GitRepository, openRepository } from '../../doors/git/repository.ts';
import { ServiceError } from '../../errors.ts';
import { reportFailure } from '../../http/errors.ts';
import { addressOf } from './address.ts';
import { beginTransfer, type Exchange, viewerAtDoor } from './viewer.ts';

type RepositoryRequest = FastifyRequest<{
  Params: { namespace: string; library: string };
  Querystring: { service?: unknown };
}>;

/** Bytes of a request, compressed or not: enough for a client that has 80,000 commits of something else. */
const MAX_BODY = 4 * 2 ** 20;

/** Commits that clients were told of stay available to them for as long as a presigned URL, though a new revision came. */
const TOLD = { max: 10_000, ttl: 3_600_000 };

const unzipped = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(gunzip);

/** Lets git clone a library, `/git/<namespace>/<library>`, over smart HTTP; `.git` may follow. */
export async function gitViews(app: FastifyInstance, context: Context): Promise<void> {
  const told = new LRUCache<string, true>(TOLD);
  await app.register(async (apart) => {
    answerInWords(apart);
    const exact = { compress: false, bodyLimit: MAX_BODY } as const;
    const repository = '/git/:namespace/:library';
    apart.get(`${repository}/info/refs`, (request: RepositoryRequest, reply) =>
      sendReferences({ context, request, reply }, told),
    );
    apart.post(`${repository}/git-upload-pack`, exact, (request: RepositoryRequest, reply) =>
      sendPack({ context, request, reply }, told),
    );
    apart.post(`${repository}/git-receive-pack`, { onRequest: async () => refusePush() }, refusePush);
  });
}

type Told = LRUCache<string, true>;

async function sendReferences(
  { context, request, reply }: Exchange<RepositoryRequest>,
  told: Told,
): Promise<FastifyReply> {
  const { service } = request.query;
  if (service === 'git-receive-pack') refusePush();
  if (service !== 'git-upload-pack')
    throw new ServiceError('bad_request', 'This is read by git 1.6.6 or later, as "git clone" does.');
  const { storeId, references } = await repositoryOf(context, request);
  for (const { commit } of references) told.set(`${storeId} ${commit}`, true);
  return reply
    .header('cache-control', 'no-cache')
    .type('application/x-git-upload-pack-advertisement')
    .send(advertisementOf(references));
}

async function repositoryOf(context: Context, request: RepositoryRequest): Promise<GitRepository> {
  const viewer = await viewerAtDoor(context, request);
  const { namespace, library } = request.params;
  const open = (name: string) => openRepository(context, viewer, addressOf(namespace, name));
  if (!library.endsWith('.git')) return open(library);
  return open(library.slice(0, -4)).catch((error: unknown) => {
    const isMissing = error instanceof ServiceError && ['not_found', 'unauthenticated'].includes(error.code);
    if (isMissing) return open(library);
    throw error;
  });
}

async function sendPack(exchange: Exchange<RepositoryRequest>, told: Told): Promise<FastifyReply> {
  const { context, request, reply } = exchange;
  const { storeId, references } = await repositoryOf(context, request);
  reply.header('cache-control', 'no-cache').type('application/x-git-upload-pack-result');
  const fetch = await readFetchRequest(await bodyOf(request));
  // Before a large request, clients try whether they may send it.
  if (fetch.wants.size === 0) return reply.send('');
  const { gitCommits, objects, log } = context;
  const current = new Set(references.map(({ commit }) => commit));
  const others = [...fetch.wants].filter((commit) => !current.has(commit));
  const kept = new Set(await gitCommits.known(storeId, others));
  const unknown = others.find((commit) => !told.has(`${storeId} ${commit}`) || !kept.has(commit));
  if (unknown !== undefined) return reply.send(refusal(`upload-pack: not our ref ${unknown}`));
  const common = await gitCommits.known(storeId, fetch.haves);
  const before = Buffer.concat([...acknowledgements(fetch, common)]);
  if (!fetch.isDone) return reply.send(before);
  beginTransfer(exchange);
  const found = await gitCommits.difference(storeId, [...fetch.wants], common);
  const pack = packOf(found, objects, storeId);
  const answer = fetch.capabilities.has('side-band-64k')
    ? inBands(pack, fetch.capabilities.has('no-progress') ? [] : remarksOf(found))
    : pack;
  return reply.send(
    Readable.from(
      (async function* () {
        yield before;
        yield* answer;
      })(),
      { objectMode: false },
    ).on('error', (error) => log.warn({ err: error, storeId }, 'a clone was cut off')),
  );
}

function remarksOf({ files, bytes, leftOut }: { files: number; bytes: number; leftOut: string[] }): string[] {
  return [
    `Sending ${files} files, ${(bytes / 2 ** 20).toFixed(1)} MiB`,
    ...leftOut.map((path) => `Left out, since git reserves the name: ${path}`),
  ];
}

async function bodyOf({ body, headers }: FastifyRequest): Promise<Buffer> {
  if (!Buffer.isBuffer(body)) return FLUSH;
  switch (headers['content-encoding'] ?? 'identity') {
    case 'identity':
      return body;
    case 'gzip':
    case 'x-gzip':
      return unzipped(body, { maxOutputLength: MAX_BODY }).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ERR_BUFFER_TOO_LARGE')
          throw new ServiceError('payload_too_large', `The request has more than ${MAX_BODY} bytes.`);
        throw new ServiceError('bad_request', 'The body is not compressed as it says.');
      });
    default:
      throw new ServiceError('unsupported_media_type', 'Bodies can be compressed by gzip.', {
        acceptEncoding: 'gzip',
      });
  }
}

/** Whatever the library, so that nobody learns which there are. */
function refusePush(): never {
  throw new ServiceError('forbidden', 'Nothing can be pushed here with git. Publish with "bindery push".');
}

/** Git prints failures that are plain text. */
function answerInWords(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    const { status, message, details } = reportFailure(request, error);
    if (status === 401) reply.header('www-authenticate', 'Basic realm="Bindery", charset="UTF-8"');
    if (typeof details.retryAfter === 'number') reply.header('retry-after', details.retryAfter);
    return reply
      .header('cache-control', 'no-store')
      .status(status)
      .type('text/plain; charset=utf-8')
      .send(`${message}\n`);
  });
}
