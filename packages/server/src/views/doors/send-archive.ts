import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import type { Archive } from '../../doors/archive.ts';
import { logTransfer } from '../../http/access-log.ts';
import { attachment } from '../../http/content-disposition.ts';

/** Sends an archive as it is made. It counts as one transfer, however many files it has. */
export function sendArchive(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  archive: Archive,
  fileName: string,
): FastifyReply {
  context.objectResponses.admit(request.raw, reply.raw);
  logTransfer(context, request.raw, reply.raw);
  reply.headers({
    'content-type': 'application/zip',
    'content-length': archive.bytes,
    'content-disposition': attachment(fileName),
    'content-security-policy': "sandbox; default-src 'none'",
  });
  return reply.send(request.method === 'HEAD' ? Readable.from([]) : archive.open());
}
