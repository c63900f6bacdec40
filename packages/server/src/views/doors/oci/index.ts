import { Readable } from 'node:stream';
import type { ErrorCode } from '@bindery/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ANONYMOUS, type Viewer } from '../../../access/viewer.ts';
import type { Context } from '../../../context.ts';
import type { DigestedLayer } from '../../../doors/images/image-layers.ts';
import { layerLength, streamLayer } from '../../../doors/images/layer-bytes.ts';
import { filesOfLayer } from '../../../doors/images/layers.ts';
import { type DoorRevision, loadLibraryAtDoor, missingAtDoor, openAtDoor } from '../../../doors/revision.ts';
import { notFound, ServiceError } from '../../../errors.ts';
import { sendIfNotModified } from '../../../http/entity-tags.ts';
import { reportFailure } from '../../../http/errors.ts';
import { parseRanges } from '../../../http/ranges.ts';
import { requestOrigin } from '../../../http/viewer.ts';
import { releasedRows } from '../../../objects/references.ts';
import { addressOf, segmentsOf } from '../address.ts';
import { setRevisionHeaders } from '../send-file.ts';
import { beginTransfer, type Exchange, passwordOf, viewerAtDoor } from '../viewer.ts';
import { type ImageDocument, Images } from './images.ts';

/**
 * Speaks the part of the distribution specification that pulls: the repository `<namespace>/<library>` has the releases as
 * tags, each an image of the library's files, and `<namespace>/<library>/<asset>` one asset of each.
 */
export async function ociViews(app: FastifyInstance, context: Context): Promise<void> {
  await app.register(async (apart) => {
    const images = new Images(context);
    answerFailures(apart, context);
    apart.addHook('onRequest', async (request, reply) => {
      reply.header('docker-distribution-api-version', 'registry/2.0');
      if (!['GET', 'HEAD', 'OPTIONS'].includes(request.method))
        throw new ServiceError('method_not_allowed', 'Images are pulled here. Publish with "bindery push".');
    });
    apart.get('/v2/token', (request, reply) => sendToken({ context, request, reply }));
    for (const url of ['/v2', '/v2/*']) {
      const method = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
      // Clients verify the bytes of a layer, and some take a compressed answer for the layer, which is compressed itself.
      const handler = (request: FastifyRequest, reply: FastifyReply) =>
        answer({ context, request, reply }, images);
      apart.route({ method, url, compress: false, handler });
    }
  });
}

/** The tag of the current revision; no release has this name. */
const CURRENT = 'latest';

/** Before a tag: the index of its manifests for each architecture. No release begins with an underscore. */
const MULTIARCH = '_multiarch.';

async function answer(exchange: Exchange, images: Images): Promise<FastifyReply> {
  const { context, request, reply } = exchange;
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
  if (what === 'tags' && reference === 'list') return sendTags(exchange, viewer, address);
  if (what === 'blobs') {
    const opened = await openAtDoor(context, viewer, address);
    return sendBlob(exchange, images, { opened, asset, digest: reference });
  }
  if (what !== 'manifests') throw notFound();
  if (reference?.includes(':')) {
    const opened = await openAtDoor(context, viewer, address);
    const found = await images.find(opened, asset, sha256Of(reference));
    if (found === null) throw missingAtDoor('revision', 'No revision has a manifest of this digest.');
    return sendDocument(reply, found);
  }
  const isForAll = reference?.startsWith(MULTIARCH) === true;
  const tag = isForAll ? reference.slice(MULTIARCH.length) : reference;
  const at = tag === CURRENT ? {} : { at: addressOf('', '', tag).at };
  const opened = await openAtDoor(context, viewer, { ...address, ...at });
  const image = await images.write(opened, asset, () => request.socket.destroyed);
  return sendDocument(reply, isForAll ? image.index : image.manifest);
}

function sendDocument(reply: FastifyReply, { bytes, digest, mediaType }: ImageDocument): FastifyReply {
  return reply
    .headers({ 'docker-content-digest': digest, etag: `"${digest}"`, 'content-length': bytes.length })
    .type(mediaType)
    .send(bytes);
}

/** The digits of a digest; of one that is none, those of nothing. */
function sha256Of(digest: string | null): string {
  return /^sha256:([0-9a-f]{64})$/.exec(digest ?? '')?.[1] ?? '';
}

async function sendBlob(
  exchange: Exchange,
  images: Images,
  { opened, asset, digest }: { opened: DoorRevision; asset: string | undefined; digest: string | null },
): Promise<FastifyReply> {
  const { reply } = exchange;
  const found = await images.findLayer(opened, asset, sha256Of(digest));
  if (found !== null) return sendLayer(exchange, found);
  const document = await images.find(opened, asset, sha256Of(digest));
  if (document === null) throw missingAtDoor('path', 'No image of this library has a blob of this digest.');
  return sendDocument(reply, { ...document, mediaType: BLOB_TYPE });
}

function sendLayer(
  exchange: Exchange,
  { revision, layer }: { revision: DoorRevision; layer: DigestedLayer },
): FastifyReply {
  const { context, request, reply } = exchange;
  const digest = `sha256:${layer.sha256}`;
  const size = layerLength(layer);
  setRevisionHeaders(exchange, { ...revision, isPermanent: true });
  reply.headers({ 'accept-ranges': 'bytes', 'docker-content-digest': digest }).type(BLOB_TYPE);
  if (sendIfNotModified(request, reply, `"${digest}"`)) return reply;
  const { range, 'if-range': condition } = request.headers;
  const isAsked = request.method === 'GET' && (condition === undefined || condition === `"${digest}"`);
  const ranges = isAsked ? parseRanges(range, size) : null;
  if (ranges === 'unsatisfiable') {
    reply.header('content-range', `bytes */${size}`);
    throw new ServiceError('range_not_satisfiable', `Range: the blob has ${size} bytes.`);
  }
  // Several ranges may be answered with all of it.
  const [only, ...more] = ranges ?? [];
  const part = only !== undefined && more.length === 0 ? only : { start: 0, end: size - 1 };
  if (part === only) reply.status(206).header('content-range', `bytes ${part.start}-${part.end}/${size}`);
  beginTransfer(exchange);
  reply.header('content-length', part.end - part.start + 1);
  if (request.method === 'HEAD') return reply.send(Readable.from([]));
  const files = filesOfLayer(revision.index, layer);
  const content = { ...layer, storeId: revision.row.store_id, files };
  return reply.send(streamLayer(context.objects, content, part));
}

const BLOB_TYPE = 'application/octet-stream';

const MAX_TAGS = 1_000;

/** Sends the tags of the releases and of the current revision, in the order of their bytes. */
async function sendTags(
  { context, request, reply }: Exchange,
  viewer: Viewer,
  address: ReturnType<typeof addressOf>,
): Promise<FastifyReply> {
  const { row, namespace } = await loadLibraryAtDoor(context, viewer, address);
  const { n, last } = request.query as { n?: unknown; last?: unknown };
  const most = typeof n === 'string' && /^\d{1,6}$/.test(n) ? Math.min(Number(n), MAX_TAGS) : MAX_TAGS;
  const released = await releasedRows(context.db, row.store_id);
  const tags = [CURRENT, ...released.map(({ release = '' }) => release)]
    .flatMap((tag) => [tag, MULTIARCH + tag])
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
async function sendToken({ context, request, reply }: Exchange): Promise<FastifyReply> {
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
    const { retryAfter } = failure.details;
    if (typeof retryAfter === 'number') reply.header('retry-after', String(retryAfter));
    const code = wasAsked ? 'NAME_UNKNOWN' : ociCodeOf(failure);
    const message = status === 404 ? 'Not found, or you do not have access.' : failure.message;
    return reply
      .removeHeader('etag')
      .removeHeader('docker-content-digest')
      .removeHeader('content-length')
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
