import { fuelModelName, fuelModelPath, parseFuelModelName } from '@bindery/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { type ArchivedFile, archiveOf } from '../../doors/archive.ts';
import {
  findImportedModel,
  findModel,
  type ListedModel,
  listModels,
  listModelsOf,
  modelFiles,
  withFolders,
} from '../../doors/fuel.ts';
import { type DoorRevision, missingAtDoor, openAtDoor } from '../../doors/revision.ts';
import { notFound } from '../../errors.ts';
import { addressOf, segmentsOf } from './address.ts';
import { sendArchive } from './send-archive.ts';
import { sendFile, setRevisionHeaders } from './send-file.ts';
import { askForPassword, type Exchange, viewerAtDoor } from './viewer.ts';

/**
 * Speaks Gazebo Fuel 1.0: an owner is a namespace, a collection a library, a model an asset, named
 * `<library>~<asset>`, or as the server calls it from which it was imported, and a version the number of a revision or the name of a release. Its clients encode the slashes of
 * a path.
 */
export async function fuelViews(app: FastifyInstance, context: Context): Promise<void> {
  await app.register(async (apart) => {
    askForPassword(apart);
    apart.get('/1.0/*', async (request, reply) => {
      const [, , ...rest] = segmentsOf(request.raw.url ?? '');
      const path = rest.flatMap((segment) => segment?.split('/') ?? ['']).filter((segment) => segment !== '');
      const [owner, what, name, ...more] = path;
      if (path.length === 1 && owner === 'models') return sendModels({ context, request, reply });
      if (what === 'collections' && more.length === 1 && more[0] === 'models')
        return sendCollection({ context, request, reply }, addressOf(owner, name));
      if (what !== 'models' || owner === undefined) throw notFound();
      if (name === undefined) return sendModels({ context, request, reply }, owner);
      return sendModel({ context, request, reply }, { owner, name, version: more[0], rest: more.slice(1) });
    });
  });
}

interface ModelAddress {
  owner: string;
  name: string;
  /** The number of a revision or the name of a release; `tip` or nothing is the current revision. */
  version: string | undefined;
  /** The name of the archive, or `files` and the path of a file; without either, the model is described. */
  rest: string[];
}

async function sendModel(
  exchange: Exchange,
  { owner, name, version, rest }: ModelAddress,
): Promise<FastifyReply> {
  const { context, request, reply } = exchange;
  const viewer = await viewerAtDoor(context, request);
  const namespace = owner.toLowerCase();
  const { library, assetId } =
    parseFuelModelName(name) ?? (await findImportedModel(context, viewer, { namespace, name }));
  const revision = await openAtDoor(context, viewer, {
    ...addressOf(namespace, library, version === 'tip' ? undefined : version),
    ...(/^\d{1,9}$/.test(version ?? '') && { at: Number(version) }),
  });
  const number = await findModel(revision.index, assetId);
  for (const header of VERSION_HEADERS) reply.raw.setHeader(header, revision.row.revision);
  const listed = { namespace: revision.namespace, library: revision.row, card: revision.index.card(number) };
  const [first, ...path] = rest;
  if (first === undefined) return reply.send(describeModel(context, listed));
  const files = modelFiles(revision, number);
  setRevisionHeaders(exchange, revision);
  if (first === 'files') return sendModelFile(exchange, revision, files, path.join('/'));
  if (first !== `${name}.zip` || path.length > 0) throw notFound();
  return sendArchive(exchange, archiveOf(context, revision, withFolders(files)), first);
}

function sendModelFile(
  exchange: Exchange,
  revision: DoorRevision,
  files: readonly ArchivedFile[],
  path: string,
): FastifyReply {
  const { reply } = exchange;
  const found = files.find(({ name }) => name === path);
  if (found === undefined) throw missingAtDoor('path', 'The model has no file at this path.');
  if ('file' in found) return sendFile(exchange, revision, found.file);
  return reply.type('text/plain; charset=utf-8').send(found.bytes);
}

/** In the letter case that clients look for, which only the response itself keeps. */
const VERSION_HEADERS = ['X-Ign-Resource-Version', 'X-Gz-Resource-Version'];

async function sendCollection(
  { context, request, reply }: Exchange,
  address: Parameters<typeof openAtDoor>[2],
): Promise<FastifyReply> {
  const revision: DoorRevision = await openAtDoor(context, await viewerAtDoor(context, request), address);
  return sendPage(context, reply, listModelsOf(revision, pageOf(request)));
}

async function sendModels({ context, request, reply }: Exchange, namespace?: string): Promise<FastifyReply> {
  const viewer = await viewerAtDoor(context, request);
  return sendPage(context, reply, await listModels(context, viewer, { namespace, page: pageOf(request) }));
}

/** A client asks for pages until one is not found. */
function sendPage(context: Context, reply: FastifyReply, models: ListedModel[]): FastifyReply {
  if (models.length === 0) throw notFound();
  return reply.send(models.map((model) => describeModel(context, model)));
}

function describeModel({ publicUrl }: Context, { namespace, library, card }: ListedModel) {
  const name = fuelModelName(library.name, card.assetId);
  return {
    name,
    owner: namespace,
    description: card.description ?? card.title ?? '',
    version: library.revision,
    createdAt: new Date(library.created_at).toISOString(),
    updatedAt: new Date(library.updated_at).toISOString(),
    upload_date: new Date(library.updated_at).toISOString(),
    modify_date: new Date(library.updated_at).toISOString(),
    filesize: card.files.bytes,
    license_name: card.license ?? '',
    tags: card.tags,
    categories: card.category === null ? [] : [card.category],
    likes: 0,
    downloads: 0,
    private: library.visibility !== 'public',
    url_name: publicUrl() + fuelModelPath({ namespace, name: library.name }, card.assetId),
  };
}

function pageOf({ query }: FastifyRequest): number {
  const { page } = query as { page?: unknown };
  return typeof page === 'string' && /^[1-9]\d{0,8}$/.test(page) ? Number(page) : 1;
}
