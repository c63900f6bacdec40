import type { ErrorCode } from '@bindery/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ANONYMOUS, type Viewer } from '../../../access/viewer.ts';
import type { Context } from '../../../context.ts';
import { type DoorRevision, loadLibraryAtDoor, missingAtDoor, openAtDoor } from '../../../doors/revision.ts';
import { notFound, ServiceError } from '../../../errors.ts';
import { reportFailure } from '../../../http/errors.ts';
import { requestOrigin } from '../../../http/viewer.ts';
import { releasedRows } from '../../../objects/references.ts';
import { addressOf, segmentsOf } from '../address.ts';
import { sendFile, setRevisionHeaders } from '../send-file.ts';
import { passwordOf, viewerAtDoor } from '../viewer.ts';
import { CONFIG, CONFIG_DIGEST, MANIFEST_TYPE, ManifestDigests, manifestOf } from './manifest.ts';

/**
 * Speaks the part of the distribution specification that pulls: the repository `<namespace>/<library>` has the releases as
 * tags, and `<namespace>/<library>/<asset>` one asset of each.
 */
export async function ociViews(app: FastifyInstance, context: Context): Promise<void> {
  await app.register(async (apart) => {
    const digests = new ManifestDigests(context);
    answerFailures(apart, context);
    apart.addHook('onRequest', async (request, reply) => {
      reply.header('docker-distribution-api-version', 'registry/2.0');
      if (!['GET', 'HEAD', 'OPTIONS'].includes(request.method))
        throw new ServiceError(
          'method_not_allowed',
          'Artifacts are pulled here. Publish with "bindery push".',
        );
    });
    apart.get('/v2/token', (request, reply) => sendToken(context, request, reply));
    for (const url of ['/v2', '/v2/*']) {
      const method = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
      apart.route({ method, url, handler: (request, reply) => answer(context, digests, request, reply) });
    }
  });
}

/** The tag of the current revision; no release has this name. */
const CURRENT = 'latest';

async function answer(
  context: Context,
  digests: ManifestDigests,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const viewer = await viewerOfPull(context, request);
  const [, , ...path] = segmentsOf(request.raw.url ?? '');
  if (path.join('') === '') {
    if (request.headers.authorization === undefined) throw unauthenticated();
    return reply.send({});
  }
  const [reference = '', what] = path.toReversed();
  const [namespace, name, assetId, ...others] = path.slice(0, -2);
  const address = addressOf(namespace, others.length > 0 ? '' : name);
  const asset = assetId === null ? '' : assetId;
  if (what === 'tags' && reference === 'list') return sendTags(context, viewer, request, reply, address);
  if (what === 'blobs') {
    const opened = await openAtDoor(context, viewer, address);
    return sendBlob(context, digests, request, reply, opened, reference ?? '');
  }
  if (what !== 'manifests') throw notFound();
  if (isDigest(reference)) {
    const opened = await openAtDoor(context, viewer, address);
    const found = await digests.find(opened, asset, reference, () => request.socket.destroyed);
    if (found === null) throw missingAtDoor('revision', 'No revision has a manifest of this digest.');
    return sendManifest(reply, found);
  }
  const at = reference === CURRENT ? {} : { at: addressOf('', '', reference).at };
  const opened = await openAtDoor(context, viewer, { ...address, ...at });
  const manifest = await manifestOf({ ...opened, assetId: asset });
  digests.remember({ ...opened, assetId: asset }, manifest.digest);
  return sendManifest(reply, manifest);
}

function sendManifest(
  reply: FastifyReply,
  { bytes, digest }: { bytes: Buffer; digest: string },
): FastifyReply {
  return reply
    .headers({ 'docker-content-digest': digest, etag: `"${digest}"`, 'content-length': bytes.length })
    .type(MANIFEST_TYPE)
    .send(bytes);
}

function isDigest(reference: string | null): reference is string {
  return reference?.includes(':') === true;
}

async function sendBlob(
  context: Context,
  digests: ManifestDigests,
  request: FastifyRequest,
  reply: FastifyReply,
  current: DoorRevision,
  digest: string,
): Promise<FastifyReply> {
  if (digest === CONFIG_DIGEST)
    return reply.header('docker-content-digest', digest).type('application/octet-stream').send(CONFIG);
  const [, sha256] = /^sha256:([0-9a-f]{64})$/.exec(digest) ?? [];
  if (sha256 !== undefined && (await isStored(context, current, sha256))) {
    for await (const revision of digests.revisionsOf(current)) {
      if (request.socket.destroyed) break;
      const size = revision.index.files.sizeOfContent(sha256);
      if (size === null) continue;
      setRevisionHeaders(request, reply, { ...revision, isPermanent: true });
      reply.header('docker-content-digest', digest);
      return sendFile(context, request, reply, revision, { path: sha256, size, sha256, platform: false });
    }
  }
  throw missingAtDoor('path', 'No file of this library has this digest.');
}

/** Whether it is worth looking for content in every release: a guess must not open the index of each. */
async function isStored(
  { objects }: Context,
  { row, index }: DoorRevision,
  sha256: string,
): Promise<boolean> {
  if (index.files.sizeOfContent(sha256) !== null) return true;
  return (await objects.size({ storeId: row.store_id, sha256 })) !== null;
}

const MOST_TAGS = 1_000;

/** Sends the releases, in the order of their bytes, and the tag of the current revision. */
async function sendTags(
  context: Context,
  viewer: Viewer,
  request: FastifyRequest,
  reply: FastifyReply,
  address: ReturnType<typeof addressOf>,
): Promise<FastifyReply> {
  const { row, namespace } = await loadLibraryAtDoor(context, viewer, address);
  const { n, last } = request.query as { n?: unknown; last?: unknown };
  const most = typeof n === 'string' && /^\d{1,6}$/.test(n) ? Math.min(Number(n), MOST_TAGS) : MOST_TAGS;
  const released = await releasedRows(context.db, row.store_id);
  const tags = [CURRENT, ...released.map(({ release = '' }) => release)]
    .sort()
    .filter((tag) => typeof last !== 'string' || tag > last);
  const page = tags.slice(0, most);
  const name = `${namespace}/${row.name}`;
  const next = new URLSearchParams({ n: String(most), last: page.at(-1) ?? '' });
  if (page.length > 0 && page.length < tags.length)
    reply.header('link', `</v2/${name}/tags/list?${next}>; rel="next"`);
  return reply.send({ name, tags: page });
}

/** What clients without a token are given, and send in its place: they ask for one before they read anything. */
const NO_TOKEN = 'anonymous';

/** Gives a client that sends a token as password the same token, as a bearer: it is good for what its scope says. */
async function sendToken(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { authorization } = request.headers;
  const viewer = await viewerOfPull(context, request);
  const token = viewer.kind === 'account' ? (passwordOf(authorization) ?? NO_TOKEN) : NO_TOKEN;
  return reply.header('cache-control', 'no-store').send({ token, access_token: token, expires_in: 3_600 });
}

function viewerOfPull(context: Context, request: FastifyRequest): Promise<Viewer> {
  if (request.headers.authorization === `Bearer ${NO_TOKEN}`)
    return Promise.resolve({ ...ANONYMOUS, origin: requestOrigin(request) });
  return viewerAtDoor(context, request);
}

function unauthenticated(): ServiceError {
  return new ServiceError('unauthenticated', 'Ask for a token.');
}

/** Answers failures as registries do. Who has been given a token, if only that for everybody, is not asked again. */
function answerFailures(app: FastifyInstance, { publicUrl }: Context): void {
  app.setErrorHandler((error, request, reply) => {
    const failure = reportFailure(request, error);
    const wasAsked = request.headers.authorization !== undefined && failure.code === 'unauthenticated';
    const status = wasAsked ? 404 : failure.status;
    if (status === 401)
      reply.header('www-authenticate', `Bearer realm="${publicUrl()}/v2/token",service="bindery"`);
    const code = wasAsked ? 'NAME_UNKNOWN' : ociCodeOf(failure);
    const message = status === 404 ? 'Not found, or you do not have access.' : failure.message;
    return reply
      .removeHeader('etag')
      .removeHeader('docker-content-digest')
      .header('cache-control', 'no-store')
      .status(status)
      .send({ errors: [{ code, message }] });
  });
}

const CODES: Partial<Record<ErrorCode, string>> = {
  unauthenticated: 'UNAUTHORIZED',
  invalid_token: 'UNAUTHORIZED',
  forbidden: 'DENIED',
  method_not_allowed: 'UNSUPPORTED',
  rate_limited: 'TOOMANYREQUESTS',
  unavailable: 'TOOMANYREQUESTS',
  payload_too_large: 'SIZE_INVALID',
};

function ociCodeOf({ code, details }: ServiceError): string {
  if (code !== 'not_found') return CODES[code] ?? 'UNKNOWN';
  if (details.missing === 'path') return 'BLOB_UNKNOWN';
  return details.missing === undefined ? 'NAME_UNKNOWN' : 'MANIFEST_UNKNOWN';
}
