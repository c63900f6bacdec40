import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../context.ts';
import { type Listing, META, writeListing } from '../../doors/blender/listing.ts';
import { type DoorRevision, openAtDoor } from '../../doors/revision.ts';
import { findFileAtDoor } from '../../doors/tree.ts';
import { addressOf, pathOf, segmentsOf } from './address.ts';
import { sendFile, setRevisionHeaders } from './send-file.ts';
import { askForPassword, type Exchange, viewerAtDoor } from './viewer.ts';

/** Characters of listings that are kept. */
const REMEMBERED = 64 * 2 ** 20;

type Listings = LRUCache<string, Listing, { write: () => Promise<Listing> }>;

/**
 * Serves a library as one of Blender's online asset libraries, `/blender/<namespace>/<library>[@<release or commit>]/`: a listing of the
 * data-blocks in its Blender files, and the files.
 */
export async function blenderViews(app: FastifyInstance, context: Context): Promise<void> {
  const listings: Listings = new LRUCache({
    maxSize: REMEMBERED,
    sizeCalculation: (listing) => [...listing.values()].reduce((sum, text) => sum + text.length, 1),
    fetchMethod: (_key, _stale, { context: { write } }) => write(),
    ignoreFetchAbort: true,
  });
  await app.register(async (apart) => {
    askForPassword(apart);
    apart.get('/blender/:namespace/:library/*', (request, reply) =>
      answer({ context, request, reply }, listings),
    );
  });
}

async function answer(exchange: Exchange, listings: Listings): Promise<FastifyReply> {
  const { context, request, reply } = exchange;
  const [, , namespace, library = '', ...segments] = segmentsOf(request.raw.url ?? '');
  const [name, at] = library?.split(/@(.*)/s) ?? [];
  const viewer = await viewerAtDoor(context, request);
  const revision = await openAtDoor(context, viewer, addressOf(namespace, name, at));
  const path = pathOf(segments);
  if (path !== META && path?.startsWith('_v1/') !== true) {
    const file = findFileAtDoor(revision.index, path);
    setRevisionHeaders(exchange, revision);
    return sendFile(exchange, revision, file);
  }
  const key = `${context.publicUrl()} ${revision.row.store_id} ${revision.commit}`;
  const listing = await listings.forceFetch(key, {
    context: { write: () => write(context, request, revision) },
  });
  const document = listing.get(path);
  if (document === undefined) findFileAtDoor(revision.index, null);
  setRevisionHeaders(exchange, revision);
  return reply.type('application/json').send(document);
}

function write(context: Context, request: FastifyRequest, revision: DoorRevision): Promise<Listing> {
  const { row, namespace, commit } = revision;
  // What is published meanwhile must not come between the pages of a listing.
  const root = `../${row.name}@${commit}/`;
  const page = `${context.publicUrl()}/app/${namespace}/${row.name}`;
  return writeListing(context, revision, { root, page, isGone: () => request.socket.destroyed });
}
