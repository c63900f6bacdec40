import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { contentLost, notFound, ServiceError } from '../../../errors.ts';
import { namingDamaged } from '../../../objects/damaged.ts';
import { unlessMissing } from '../../../objects/missing.ts';
import type { ObjectAddress } from '../../../objects/store.ts';
import { attachment, contentTypeOf } from './file-headers.ts';
import { fstat, open } from './files.ts';
import type { Layout } from './layout.ts';
import type { DiskStoreOptions } from './options.ts';
import { isUnchanged } from './preconditions.ts';
import { type ByteRange, parseRange } from './range.ts';
import type { ReadAhead } from './read-ahead.ts';
import { COMMON_HEADERS, sendEmpty, sendError } from './responses.ts';
import { sendPieces } from './send-pieces.ts';

/** Handles GET and HEAD of one object. */
export async function download(
  { layout, readAhead, isLost }: { layout: Layout; readAhead: ReadAhead } & Pick<DiskStoreOptions, 'isLost'>,
  request: IncomingMessage,
  response: ServerResponse,
  object: ObjectAddress,
  fileName: string,
): Promise<void> {
  const fd = await unlessMissing(namingDamaged(object, open(layout.object(object), 'r', 0)));
  if (fd === null) throw (await isLost(object)) ? contentLost('this file') : notFound();
  try {
    const { size } = await fstat(fd);
    const etag = `"${object.sha256}"`;
    if (isUnchanged(request, etag)) {
      return sendEmpty(response, 304, ['ETag', etag, 'Cache-Control', CACHING]);
    }
    const range = rangeFor(request, size, etag);
    if (range === 'unsatisfiable') {
      return refuseRange(request, response, size);
    }
    const { start, end } = range ?? { start: 0, end: size - 1 };
    const length = end - start + 1;
    const status = range ? 206 : 200;
    const fields = downloadHeaders(fileName, etag, length, range, size);
    response.writeHead(status, fields);
    if (request.method === 'HEAD') response.end();
    else await sendPieces(response, [[{ object, fd, start, length }]], readAhead);
  } finally {
    // Closing a file that was only read does no I/O.
    fs.closeSync(fd);
  }
}

export function refuseRange(request: IncomingMessage, response: ServerResponse, size: number): void {
  const failure = new ServiceError(
    'range_not_satisfiable',
    `Range: the file has ${size} bytes (received "${String(request.headers.range).slice(0, 80)}").`,
  );
  sendError(request, response, failure, ['Content-Range', `bytes */${size}`]);
}

/** Content stored under a hash never changes. */
export const CACHING = 'private, max-age=31536000, immutable';

/** Returns the headers of a response with an object or a range of it. */
export function downloadHeaders(
  fileName: string,
  etag: string,
  length: number,
  range: ByteRange | null,
  size: number,
) {
  const fields = [
    ...COMMON_HEADERS,
    'X-Request-Id',
    randomUUID(),
    'Content-Type',
    contentTypeOf(fileName),
    'Content-Length',
    String(length),
    'Content-Disposition',
    attachment(fileName),
    'ETag',
    etag,
    'Accept-Ranges',
    'bytes',
    'Cache-Control',
    CACHING,
  ];
  if (range) fields.push('Content-Range', `bytes ${range.start}-${range.end}/${size}`);
  return fields;
}

/**
 * Parses the `Range` header, which applies to GET only and, with `If-Range`, only if the client's copy is this object.
 */
export function rangeFor(request: IncomingMessage, size: number, etag: string) {
  if (request.method !== 'GET') return null;
  const condition = request.headers['if-range'];
  if (condition !== undefined && condition !== etag) return null;
  return parseRange(request.headers.range, size);
}
