import { isUtf8 } from 'node:buffer';
import type { Route } from '@bindery/contract';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ServiceError, unsupportedMediaType } from '../errors.ts';
import { parseJson } from './parse-input.ts';

/** The port for reading request bodies: large ones off the event loop, in bounded time and memory. */
export interface BodyReader {
  /**
   * Returns the value of a route's body. Takes ownership of the memory of `bytes`. Throws the body's error, and
   * `unavailable` if there is too much to read.
   */
  read(route: Route, bytes: Uint8Array): Promise<unknown>;

  close(): Promise<void>;
}

/** Bodies up to this many bytes are parsed on the event loop, which takes a few milliseconds at most. */
const SMALL = 1_024;

/** Returns the value of a request's body; large ones are read by a worker. Throws what is wrong with it. */
export async function readBody(bodies: BodyReader, route: Route, request: FastifyRequest): Promise<unknown> {
  const { body } = request;
  if (!Buffer.isBuffer(body) || body.length === 0) return parseBody(route.body, new Uint8Array());
  requirePlainBody(request);
  requireJson(request);
  return body.length <= SMALL ? parseBody(route.body, body) : bodies.read(route, body);
}

function requireJson({ headers }: FastifyRequest): void {
  if (!/^application\/json *(;|$)/i.test(headers['content-type'] ?? '')) throw unsupportedMediaType();
}

/**
 * Maximum number of values in a body: more than the longest list of the contract needs, few enough to be read quickly.
 */
const MAX_VALUES = 300_000;

/**
 * Parses a JSON body by its schema; an empty body is null. Throws `bad_request`, `payload_too_large`,
 * `invalid_parameter`.
 */
export function parseBody(schema: z.ZodType, bytes: Uint8Array): unknown {
  return parseJson(schema, bytes.length === 0 ? null : parseBytes(bytes));
}

function parseBytes(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) throw new ServiceError('bad_request', 'The body is not valid UTF-8.');
  if (hasMoreValues(bytes, MAX_VALUES)) {
    throw new ServiceError('payload_too_large', `The body has more than ${MAX_VALUES} values.`);
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  } catch {
    throw new ServiceError('bad_request', 'The body is not valid JSON.');
  }
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
