import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { preconditionFailed } from '../../../errors.ts';
import { isMatch, isNoneMatch } from '../../../http/entity-tags.ts';
import { attachment } from '../../../http/headers.ts';
import { type ByteRange, parseRanges } from '../../../http/ranges.ts';
import { inertTypeOf } from '../../../objects/media-types.ts';
import type { StoredObject } from '../../../objects/store.ts';
import { COMMON_HEADERS, RangeNotSatisfiable } from './answers.ts';

/** Content stored under a hash never changes. */
export const CACHING = 'private, max-age=31536000, immutable';

/** What is sent with an object besides its length, entity tag and range: names and values in turn. */
export type ObjectHeaders = readonly string[];

/** The headers of an object that is downloaded by a presigned URL. */
export function presignedHeaders(fileName: string): ObjectHeaders {
  return [
    ...COMMON_HEADERS,
    'X-Request-Id',
    randomUUID(),
    'Content-Type',
    inertTypeOf(fileName),
    'Content-Disposition',
    attachment(fileName),
    'Cache-Control',
    CACHING,
  ];
}

/** Bytes of a response: given ones, or `length` bytes of the object from `start` on. */
export type Piece = { bytes: Buffer } | { start: number; length: number };

/**
 * Answers a request for an object of `size` bytes up to its body. Returns what the body consists of, null if the
 * response is complete. Throws `precondition_failed` and `range_not_satisfiable`.
 */
export function beginDownload(
  request: IncomingMessage,
  response: ServerResponse,
  { sha256, size }: StoredObject,
  headers: ObjectHeaders,
): Piece[] | null {
  const etag = `"${sha256}"`;
  const fields = [...headers, 'ETag', etag, 'Accept-Ranges', 'bytes'];
  if (isUnchanged(request, etag)) {
    response.writeHead(304, fields).end();
    return null;
  }
  const ranges = rangesFor(request, size, etag);
  if (ranges === 'unsatisfiable') throw new RangeNotSatisfiable(request.headers.range, size);
  const { status, pieces, described } = bodyOf(ranges, size, fields);
  const length = pieces.reduce((sum, piece) => sum + lengthOf(piece), 0);
  response.writeHead(status, [...described, 'Content-Length', String(length)]);
  if (request.method !== 'HEAD' && length > 0) return pieces;
  response.end();
  return null;
}

function bodyOf(
  ranges: ByteRange[] | null,
  size: number,
  fields: string[],
): { status: number; pieces: Piece[]; described: string[] } {
  if (ranges === null) return { status: 200, pieces: [{ start: 0, length: size }], described: fields };
  const [first, ...others] = ranges as [ByteRange, ...ByteRange[]];
  if (others.length === 0) {
    const described = [...fields, 'Content-Range', contentRange(first, size)];
    return { status: 206, pieces: [pieceOf(first)], described };
  }
  const boundary = randomUUID();
  const [type, described] = withoutType(fields);
  const pieces = ranges.flatMap((range, at): Piece[] => [
    { bytes: Buffer.from(partHead(boundary, type, contentRange(range, size), at === 0)) },
    pieceOf(range),
  ]);
  pieces.push({ bytes: Buffer.from(`\r\n--${boundary}--\r\n`) });
  described.push('Content-Type', `multipart/byteranges; boundary=${boundary}`);
  return { status: 206, pieces, described };
}

function partHead(boundary: string, type: string, range: string, isFirst: boolean): string {
  return `${isFirst ? '' : '\r\n'}--${boundary}\r\nContent-Type: ${type}\r\nContent-Range: ${range}\r\n\r\n`;
}

function withoutType(fields: readonly string[]): [type: string, others: string[]] {
  const at = fields.findIndex((field, place) => place % 2 === 0 && field.toLowerCase() === 'content-type');
  return [fields[at + 1] ?? 'application/octet-stream', fields.toSpliced(at, 2)];
}

function contentRange({ start, end }: ByteRange, size: number): string {
  return `bytes ${start}-${end}/${size}`;
}

function pieceOf({ start, end }: ByteRange): Piece {
  return { start, length: end - start + 1 };
}

export function lengthOf(piece: Piece): number {
  return 'bytes' in piece ? piece.bytes.length : piece.length;
}

/**
 * Parses the `Range` header, which applies to GET only and, with `If-Range`, only if the client's copy is this object.
 */
function rangesFor(request: IncomingMessage, size: number, etag: string) {
  if (request.method !== 'GET') return null;
  const condition = request.headers['if-range'];
  if (condition !== undefined && condition !== etag) return null;
  return parseRanges(request.headers.range, size);
}

/** Whether the client already has this file. Throws `precondition_failed` if it wants only another one. */
function isUnchanged({ headers }: IncomingMessage, etag: string): boolean {
  const { 'if-match': expected, 'if-none-match': known } = headers;
  if (expected !== undefined && !isMatch(expected, etag)) {
    throw preconditionFailed('The file at this URL has another entity tag.');
  }
  return known !== undefined && isNoneMatch(known, etag);
}
