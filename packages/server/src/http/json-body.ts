import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { parseJson } from './parse-input.ts';

/**
 * Maximum number of values in a body: more than the longest list of the contract needs, few enough to be read quickly.
 */
const MAX_VALUES = 300_000;

/**
 * Parses a JSON body by its schema; an empty body is null. Throws `bad_request`, `payload_too_large`,
 * `invalid_parameter`.
 */
export function readBody(schema: z.ZodType, bytes: Uint8Array): unknown {
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
