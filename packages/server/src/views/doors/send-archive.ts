import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { type Archive, type AssetArchive, archiveEntries, archiveOf } from '../../doors/archive.ts';
import type { DoorRevision } from '../../doors/revision.ts';
import { sendIfNotModified } from '../../http/entity-tags.ts';
import { attachment } from '../../http/headers.ts';
import { mediaTypeOf } from '../../objects/media-types.ts';
import { setRevisionHeaders } from './send-file.ts';
import { beginTransfer, type Exchange } from './viewer.ts';

/** Sends an asset with all its files. */
export function sendAssetArchive(
  exchange: Exchange,
  revision: DoorRevision,
  archive: AssetArchive,
): FastifyReply {
  const { context, request, reply } = exchange;
  const { row, index } = revision;
  const entries = archiveEntries(revision, archive);
  const id = index.assetId(archive.number);
  setRevisionHeaders(exchange, revision);
  if (sendIfNotModified(request, reply, `W/"${index.card(archive.number).digest}"`)) return reply;
  if (request.method === 'GET') context.useCounter.downloaded(row.store_id, [id]);
  return sendArchive(exchange, archiveOf(context, revision, entries), `${id}.${archive.format}`);
}

/** Sends an archive, or another file, as it is made. It counts as one transfer, however many files it has. */
export function sendArchive(exchange: Exchange, archive: Archive, fileName: string): FastifyReply {
  const { request, reply } = exchange;
  beginTransfer(exchange);
  reply.headers({
    'content-type': fileName.endsWith('.mjz') ? 'application/zip' : mediaTypeOf(fileName).type,
    'content-length': archive.bytes,
    'content-disposition': attachment(fileName),
    'content-security-policy': "sandbox; default-src 'none'",
  });
  return reply.send(request.method === 'HEAD' ? Readable.from([]) : archive.open());
}
