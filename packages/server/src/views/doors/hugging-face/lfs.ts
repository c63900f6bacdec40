import type { Transfer } from '@bindery/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { PublishTarget } from '../../../access/libraries.ts';
import type { Viewer } from '../../../access/viewer.ts';
import type { Context } from '../../../context.ts';
import { doorBodies } from '../../../doors/bodies.ts';
import { notFound } from '../../../errors.ts';
import { readBodyAs } from '../../../http/body.ts';
import { authorizeUploads } from '../../../libraries/publish/authorize.ts';
import { completeUpload } from '../../../libraries/publish/complete.ts';
import { abortUpload, requireUpload } from '../../../libraries/publish/multipart.ts';
import { findLibraryStore } from '../../../objects/library-store.ts';
import { addressOf } from '../address.ts';
import { viewerAtDoor } from '../viewer.ts';
import type { RepositoryRequest } from './read.ts';
import { loadNamedTarget } from './write.ts';

type LfsObject = z.output<typeof doorBodies.lfsBatch.body>['objects'][number];

/** The upload of bytes by the protocol of Git LFS, with the extension of Hugging Face for files in parts. */
export function lfsViews(app: FastifyInstance, context: Context): void {
  for (const prefix of ['/hf', '/hf/models', '/hf/datasets']) {
    app.post(`${prefix}/:namespace/:name/info/lfs/objects/batch`, async (request: RepositoryRequest) => {
      const viewer = await viewerAtDoor(context, request);
      const { namespace, name } = request.params;
      const target = await loadNamedTarget(context, viewer, namespace, name.replace(/\.git$/, ''));
      const { objects } = await readBodyAs(context.bodies, doorBodies.lfsBatch, request, 'json');
      const transfers = await transfersFor(context, viewer, target, objects);
      const answers = objects.map((object, at) => answerFor(context, target, object, transfers[at]));
      return { transfer: 'basic', objects: answers };
    });
  }

  // Clients send this without their token: only who was told the id of the upload knows the address.
  app.post('/hf/uploads/:namespace/:name/:uploadId', async (request: UploadRequest) => {
    const { namespace, name, uploadId } = request.params;
    const storeId = await findLibraryStore(context.db, addressOf(namespace, name));
    const upload = await requireUpload(context, storeId, uploadId).catch(() => {
      throw notFound();
    });
    await completeUpload(context, upload, { parts: [] });
    return {};
  });
}

type UploadRequest = FastifyRequest<{ Params: { namespace: string; name: string; uploadId: string } }>;

/** Nothing is kept by this path: a commit says where the bytes belong. */
const pathOf = ({ oid }: LfsObject) => `lfs/${oid}`;

/** Announces files. Clients send every part of a large one, so an upload that was interrupted begins anew. */
async function transfersFor(
  context: Context,
  viewer: Viewer,
  target: PublishTarget,
  objects: readonly LfsObject[],
): Promise<Transfer[]> {
  const files = objects.map((object) => ({
    relativePath: pathOf(object),
    size: object.size,
    sha256: object.oid,
  }));
  const transfers = (await authorizeUploads(context, viewer, target, { files })).files;
  const interrupted = transfers.flatMap(({ transfer }, at) =>
    transfer.kind === 's3-multipart' && transfer.parts.length < partsOf(transfer, files[at]?.size ?? 0)
      ? [transfer.uploadId]
      : [],
  );
  if (interrupted.length === 0) return transfers.map(({ transfer }) => transfer);
  const library = { namespace: target.namespace.slug, name: target.name };
  const storeId = await findLibraryStore(context.db, library);
  for (const uploadId of interrupted) {
    await abortUpload(context, await requireUpload(context, storeId, uploadId));
  }
  return (await authorizeUploads(context, viewer, target, { files })).files.map(({ transfer }) => transfer);
}

function partsOf({ partSize }: { partSize: number }, size: number): number {
  return Math.ceil(size / partSize);
}

/** Clients send no headers with the bytes, which a bucket may need that verifies them by a header. */
const NEEDS_HEADERS = {
  code: 422,
  message: 'This service keeps files of this size in a bucket to which only "bindery push" can send them.',
};

function answerFor(
  { publicUrl }: Context,
  { namespace, name }: PublishTarget,
  { oid, size }: LfsObject,
  transfer: Transfer | undefined,
) {
  switch (transfer?.kind) {
    case 'single-put': {
      const { url, headers } = transfer.put;
      if (Object.keys(headers).length > 0) return { oid, size, error: NEEDS_HEADERS };
      return { oid, size, actions: { upload: { href: url } } };
    }
    case 's3-multipart': {
      const { parts, partSize, uploadId } = transfer;
      if (parts.some(({ headers }) => Object.keys(headers).length > 0))
        return { oid, size, error: NEEDS_HEADERS };
      const urls = parts.map(({ partNumber, url }) => [partNumber, url]);
      const header = { chunk_size: String(partSize), ...Object.fromEntries(urls) };
      const href = `${publicUrl()}/hf/uploads/${namespace.slug}/${name}/${uploadId}`;
      return { oid, size, actions: { upload: { href, header } } };
    }
    default:
      return { oid, size };
  }
}
