import { basename } from 'node:path/posix';
import { LIMITS } from '@bindery/contract';
import type { FastifyReply } from 'fastify';
import type { Context, Refuse } from '../../context.ts';
import type { DoorRevision } from '../../doors/revision.ts';
import { logTransfer } from '../../http/access-log.ts';
import { attachment } from '../../http/headers.ts';
import { mediaTypeOf } from '../../objects/media-types.ts';
import type { ObjectAddress } from '../../objects/store.ts';
import type { ClosureFile } from '../../revision/file-closure.ts';
import type { Exchange } from './viewer.ts';

/** Says who may keep a response, and for how long: anyone what is public, for good what has a permanent address. */
export function setRevisionHeaders({ request, reply }: Exchange, { row, isPermanent }: DoorRevision): void {
  const who = row.visibility === 'public' ? 'public' : 'private';
  const usesPassword = request.headers.authorization?.slice(0, 5).toLowerCase() === 'basic';
  reply.headers({
    'cache-control': isPermanent ? `${who}, max-age=31536000, immutable` : `${who}, no-cache`,
    // Browsers send a password by themselves, on behalf of any page that embeds the file.
    'cross-origin-resource-policy': usesPassword ? 'same-origin' : 'cross-origin',
    'last-modified': new Date(row.updated_at).toUTCString(),
    vary: 'authorization',
  });
}

/** Sends a file: small ones from here, large ones by the address of a store that has its own. */
export function sendFile(exchange: Exchange, revision: DoorRevision, file: ClosureFile): FastifyReply {
  const { context, request, reply } = exchange;
  const object = { storeId: revision.row.store_id, sha256: file.sha256, size: file.size };
  const elsewhere = request.method === 'GET' ? addressElsewhere(context, object, file.path) : null;
  if (elsewhere !== null) return reply.header('cache-control', 'no-store').redirect(elsewhere, 302);
  return sendFileFromHere(exchange, revision, file);
}

/** Sends a file to a client that follows no redirect. `refuse` answers with a failure as the client reads it. */
export function sendFileFromHere(
  { context, request, reply }: Exchange,
  { row }: DoorRevision,
  { path, sha256 }: ClosureFile,
  refuse?: Refuse,
): FastifyReply {
  const { type, isPage } = mediaTypeOf(path);
  reply.headers({
    'content-type': type,
    'content-security-policy': "sandbox; default-src 'none'",
    ...(isPage && { 'content-disposition': attachment(basename(path)) }),
  });
  reply.hijack();
  logTransfer(context, request.raw, reply.raw);
  const headers = Object.entries(reply.getHeaders()).flatMap(([name, value]) => [name, String(value)]);
  const object = { storeId: row.store_id, sha256 };
  context.objectResponses.sendObject(request.raw, reply.raw, object, headers, refuse);
  return reply;
}

/** Returns a presigned URL that is not of the service's own; null if there is none for the object. */
function addressElsewhere(
  { objects, storageOrigin }: Context,
  object: ObjectAddress & { size: number },
  path: string,
): string | null {
  if (storageOrigin === null) return null;
  const url = objects.presignGet(object, basename(path), LIMITS.presignTtl.default);
  return url.startsWith(`${storageOrigin}/`) ? url : null;
}
