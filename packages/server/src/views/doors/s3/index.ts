import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Viewer } from '../../../access/viewer.ts';
import type { Context } from '../../../context.ts';
import { type DoorAddress, type DoorRevision, openAtDoor } from '../../../doors/revision.ts';
import { searchLibraries } from '../../../doors/search.ts';
import { findFileAtDoor } from '../../../doors/tree.ts';
import { preconditionFailed } from '../../../errors.ts';
import { addressOf, pathOf, segmentsOf } from '../address.ts';
import { sendFileFromHere, setRevisionHeaders } from '../send-file.ts';
import type { Exchange } from '../viewer.ts';
import {
  accessDenied,
  answerFailures,
  invalidArgument,
  methodNotAllowed,
  refuseInXml,
  S3Failure,
} from './failures.ts';
import { listingOf } from './listing.ts';
import { type Query, queryOf, viewerOfSigned } from './signed.ts';
import { element, sendXml, xmlDocument } from './xml.ts';

/** Speaks the part of S3's protocol that reads, below `/s3`: a library is a bucket, and so is each of its releases. */
export async function s3Views(app: FastifyInstance, context: Context): Promise<void> {
  await app.register(async (apart) => {
    answerFailures(apart);
    apart.addHook('onRequest', async (request, reply) => {
      reply.header('x-amz-request-id', request.id);
      // Before the body is read, and whatever it is for.
      if (!['GET', 'HEAD', 'OPTIONS'].includes(request.method))
        throw accessDenied('Buckets are read here. Publish with "bindery push".');
    });
    for (const url of ['/s3', '/s3/*']) {
      const method = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
      apart.route({ method, url, handler: (request, reply) => answer({ context, request, reply }) });
    }
  });
}

async function answer(exchange: Exchange): Promise<FastifyReply> {
  const { context, request, reply } = exchange;
  const url = request.raw.url ?? '';
  const query = queryOf(url);
  const viewer = await viewerOfSigned(context, request, query);
  const [, , bucket = '', ...rest] = segmentsOf(url);
  if (bucket === '') return sendBuckets(context, viewer, reply, query);
  const revision = await openAtDoor(context, viewer, addressOfBucket(bucket));
  const other = Object.keys(query).find((name) => NOT_READ.has(name));
  if (other !== undefined) throw methodNotAllowed(`?${other}`);
  if (rest.join('') !== '') return sendObject(exchange, revision, rest);
  reply.header('x-amz-bucket-region', REGION);
  if (query.location !== undefined) return sendXml(reply, xmlDocument('LocationConstraint', ''));
  return sendXml(reply, await listingOf(revision, bucket ?? '', query));
}

/** That of clients that are told none. A signature for any other is as good. */
const REGION = 'us-east-1';

/** What S3 tells about a bucket or an object besides what is read here. */
const NOT_READ = new Set([
  ...['accelerate', 'acl', 'analytics', 'attributes', 'cors', 'encryption', 'inventory', 'legal-hold'],
  ...['lifecycle', 'logging', 'metrics', 'notification', 'object-lock', 'ownershipControls', 'policy'],
  ...['policyStatus', 'publicAccessBlock', 'replication', 'requestPayment', 'retention', 'select', 'session'],
  ...['tagging', 'torrent', 'uploadId', 'uploads', 'versionId', 'versioning', 'versions', 'website'],
]);

const LIBRARIES_AT_ONCE = 100;
const MAX_BUCKETS = 1_000;

/** Lists the libraries that the viewer may list, the most recently updated first. */
async function sendBuckets(
  context: Context,
  viewer: Viewer,
  reply: FastifyReply,
  query: Query,
): Promise<FastifyReply> {
  if (query.prefix) throw methodNotAllowed('?prefix of buckets');
  const limit = Math.min(numberIn(query, 'max-buckets', MAX_BUCKETS), MAX_BUCKETS);
  if (limit === 0) throw invalidArgument('max-buckets');
  const first = numberIn(query, 'continuation-token', 0);
  const buckets: string[] = [];
  let isWhole = false;
  while (!isWhole && buckets.length < limit) {
    const page = Math.min(LIBRARIES_AT_ONCE, limit - buckets.length);
    const found = await searchLibraries(context, viewer, { offset: first + buckets.length, limit: page });
    isWhole = found.length < page;
    for (const { row, namespace } of found) {
      const created = new Date(row.created_at).toISOString();
      const name = element('Name', bucketOf(namespace, row.name));
      buckets.push(`<Bucket>${name}${element('CreationDate', created)}</Bucket>`);
    }
  }
  const next = isWhole ? '' : element('ContinuationToken', String(first + limit));
  const owner = viewer.kind === 'account' ? viewer.userName : 'anonymous';
  return sendXml(
    reply,
    xmlDocument(
      'ListAllMyBucketsResult',
      `<Owner>${element('ID', owner)}</Owner><Buckets>${buckets.join('')}</Buckets>${next}`,
    ),
  );
}

function numberIn(query: Query, name: string, otherwise: number): number {
  const text = query[name];
  if (text === undefined) return otherwise;
  if (!/^\d{1,9}$/.test(text)) throw invalidArgument(name);
  return Number(text);
}

function sendObject(exchange: Exchange, revision: DoorRevision, segments: (string | null)[]): FastifyReply {
  const { context, request, reply } = exchange;
  const path = pathOf(segments.flatMap((segment) => (segment === null ? [null] : segment.split('/'))));
  const file = findFileAtDoor(revision.index, path);
  const { range, 'if-match': match, 'if-none-match': noneMatch } = request.headers;
  setRevisionHeaders(exchange, revision);
  const updated = Math.floor(revision.row.updated_at / 1_000) * 1_000;
  const isBehind = (header: 'if-modified-since' | 'if-unmodified-since') =>
    updated > Date.parse(request.headers[header] ?? '');
  if (match === undefined && isBehind('if-unmodified-since'))
    throw preconditionFailed('The object was modified since.');
  if (
    noneMatch === undefined &&
    request.headers['if-modified-since'] !== undefined &&
    !isBehind('if-modified-since')
  )
    return reply.header('etag', `"${file.sha256}"`).status(304).send();
  if (file.size === 0 && range !== undefined)
    throw new S3Failure('InvalidRange', 'range_not_satisfiable', 'The object is empty.');
  if (range === undefined && noneMatch === undefined && request.headers['x-amz-checksum-mode'] !== undefined)
    reply.header('x-amz-checksum-sha256', Buffer.from(file.sha256, 'hex').toString('base64'));
  if (range === undefined && request.method === 'GET')
    context.useCounter.filesTaken(revision.row.store_id, revision.index, [file.path]);
  return sendFileFromHere(exchange, revision, file, refuseInXml);
}

/** Stands between a library and one of its releases. */
const AT = '.at.';

/** No release has this name, so it is the current revision. */
const CURRENT = 'latest';

/**
 * The library in the name of a bucket, `<namespace>.<library>[.at.<release or commit>]`. No namespace has a dot, and what
 * follows the last `.at.` is the release. A malformed name becomes one that nothing has.
 */
function addressOfBucket(bucket: string | null | undefined): DoorAddress {
  const place = bucket?.lastIndexOf(AT) ?? -1;
  const library = place < 0 ? bucket : bucket?.slice(0, place);
  const release = place < 0 ? CURRENT : bucket?.slice(place + AT.length);
  const [namespace, name] = library?.split(/\.(.*)/s) ?? [];
  return addressOf(namespace, name, release === CURRENT ? undefined : release);
}

/** The bucket that is the current revision of a library. */
function bucketOf(namespace: string, name: string): string {
  const bucket = `${namespace}.${name}`;
  return bucket.includes(AT) ? bucket + AT + CURRENT : bucket;
}
