import { isUtf8 } from 'node:buffer';
import type { Route } from '@bindery/contract';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ServiceError, unsupportedMediaType } from '../errors.ts';
import { parseJson } from './parse-input.ts';

/** What has a body: a route of the contract or of a door. */
export type WithBody<Body extends z.ZodType = z.ZodType> = Pick<Route, 'method' | 'path'> & { body: Body };

/** How a body is written: as JSON, as JSON in each line, or as a form. */
export type BodyFormat = 'json' | 'lines' | 'form';

/** The port for reading request bodies: large ones off the event loop, in bounded time and memory. */
export interface BodyReader {
  /**
   * Returns the value of a route's body. Takes ownership of the memory of `bytes`. Throws the body's error, and
   * `unavailable` if there is too much to read.
   */
  read(route: WithBody, bytes: Uint8Array, format?: BodyFormat): Promise<unknown>;

  close(): Promise<void>;
}

/** Bodies up to this many bytes are parsed on the event loop, which takes a few milliseconds at most. */
const SMALL = 1_024;

/** Returns the value of a request's body; large ones are read by a worker. Throws what is wrong with it. */
export async function readBody(bodies: BodyReader, route: Route, request: FastifyRequest): Promise<unknown> {
  if (hasBody(request)) {
    requirePlainBody(request);
    requireJson(request);
  }
  return readBodyAs(bodies, route, request, 'json');
}

/** Like `readBody`, whatever its media type says. */
export async function readBodyAs<Body extends z.ZodType>(
  bodies: BodyReader,
  route: WithBody<Body>,
  request: FastifyRequest,
  format: BodyFormat,
): Promise<z.output<Body>> {
  const bytes = hasBody(request) ? request.body : new Uint8Array();
  if (bytes.length > 0) requirePlainBody(request);
  const value =
    bytes.length <= SMALL ? parseBody(route.body, bytes, format) : bodies.read(route, bytes, format);
  return (await value) as z.output<Body>;
}

function hasBody(request: FastifyRequest): request is FastifyRequest & { body: Buffer } {
  return Buffer.isBuffer(request.body) && request.body.length > 0;
}

function requireJson({ headers }: FastifyRequest): void {
  if (!/^application\/json *(;|$)/i.test(headers['content-type'] ?? '')) throw unsupportedMediaType();
}

/**
 * Maximum number of values in a body: more than the longest list of the contract needs, few enough to be read quickly.
 */
const MAX_VALUES = 300_000;

/**
 * Parses a body by its schema; an empty one in JSON is null. Throws `bad_request`, `payload_too_large`,
 * `invalid_parameter`.
 */
export function parseBody(schema: z.ZodType, bytes: Uint8Array, format: BodyFormat = 'json'): unknown {
  if (bytes.length === 0 && format === 'json') return parseJson(schema, null);
  if (!isUtf8(bytes)) throw new ServiceError('bad_request', 'The body is not valid UTF-8.');
  if (hasMoreValues(bytes, MAX_VALUES)) {
    throw new ServiceError('payload_too_large', `The body has more than ${MAX_VALUES} values.`);
  }
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  switch (format) {
    case 'json':
      return parseJson(schema, parseText(text));
    case 'lines':
      return parseJson(schema, Array.from(linesOf(text), parseText));
    case 'form':
      return parseJson(schema, parseForm(text));
  }
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceError('bad_request', 'The body is not valid JSON.');
  }
}

/** Yields the lines that are not blank. */
function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, end).trim();
    if (line !== '') yield line;
    start = end + 1;
  }
}

/** Returns the fields of a form; one that is repeated is a list. */
function parseForm(text: string): Record<string, string | string[]> {
  const fields = Map.groupBy(new URLSearchParams(text), ([name]) => name);
  return Object.fromEntries(
    Array.from(fields, ([name, pairs]) => {
      const [value = '', ...others] = pairs.map(([, value]) => value);
      return [name, others.length === 0 ? value : [value, ...others]];
    }),
  );
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;

/** Every value in a list or object follows a comma or an opening bracket. */
function hasMoreValues(bytes: Uint8Array, most: number): boolean {
  let values = 0;
  let inText = false;
  for (let at = 0; at < bytes.length && values <= most; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) inText = !inText;
    else if (inText) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT) values++;
  }
  return values > most;
}

/** Throws `unsupported_media_type` if the body of a request is compressed, which no route accepts. */
export function requirePlainBody({ headers }: Pick<FastifyRequest, 'headers'>): void {
  const coding = headers['content-encoding'];
  if (coding === undefined || coding.split(',').every(isIdentity)) return;
  throw new ServiceError(
    'unsupported_media_type',
    `The body has the content coding "${coding.slice(0, 100)}". Send it uncompressed, without "Content-Encoding".`,
    { acceptEncoding: 'identity' },
  );
}

function isIdentity(coding: string): boolean {
  return /^\s*(identity)?\s*$/i.test(coding);
}
