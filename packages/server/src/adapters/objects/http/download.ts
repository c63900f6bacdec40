import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { preconditionFailed, ServiceError } from '../../../errors.ts';
import { isMatch, isNoneMatch } from '../../../http/entity-tags.ts';
import { COMMON_HEADERS, sendError } from './serve.ts';

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

/** Bytes from `start` up to and including `end`. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * Parses a `Range` header (RFC 9110, section 14) for a file of `size` bytes. Returns the requested range,
 * `unsatisfiable` if it contains no byte of the file, or null if the whole file is to be sent: no header, another unit,
 * a malformed header, or several ranges.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? [];
  if (first === '' && last === '') return null;
  if (first === '') {
    const suffix = Number(last);
    if (suffix === 0 || size === 0) return 'unsatisfiable';
    return { start: Math.max(0, size - suffix), end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return null;
  if (start >= size) return 'unsatisfiable';
  return { start, end };
}

/** Whether the client already has this file. Throws `precondition_failed` if it wants only another one. */
export function isUnchanged({ headers }: IncomingMessage, etag: string): boolean {
  const { 'if-match': expected, 'if-none-match': known } = headers;
  if (expected !== undefined && !isMatch(expected, etag)) {
    throw preconditionFailed('The file at this URL has another entity tag.');
  }
  return known !== undefined && isNoneMatch(known, etag);
}

const CONTENT_TYPES: Record<string, string> = {
  '.avif': 'image/avif',
  '.bmp': 'image/bmp',
  '.gif': 'image/gif',
  '.glb': 'model/gltf-binary',
  '.gltf': 'model/gltf+json',
  '.hdr': 'image/vnd.radiance',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.ktx2': 'image/ktx2',
  '.mtl': 'model/mtl',
  '.obj': 'model/obj',
  '.png': 'image/png',
  '.stl': 'model/stl',
  '.webp': 'image/webp',
};

/**
 * Returns the media type of images and models by extension; everything else is served as bytes that browsers do not
 * interpret.
 */
export function contentTypeOf(fileName: string): string {
  const dot = fileName.lastIndexOf('.');
  return (dot >= 0 && CONTENT_TYPES[fileName.slice(dot).toLowerCase()]) || 'application/octet-stream';
}

const PLAIN = /^[A-Za-z0-9 ._+-]*$/;

/**
 * Returns the `Content-Disposition` of a download (RFC 6266): a plain name for all clients, and the exact name for
 * those that read `filename*`.
 */
export function attachment(fileName: string): string {
  if (PLAIN.test(fileName)) return `attachment; filename="${fileName}"`;
  const plain = fileName.replace(/[^A-Za-z0-9 ._+-]/gu, '_');
  const exact = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}
