import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { parseJson } from './parse.ts';

/** How many values a body may have: more than the longest list of the contract needs, few enough to be read quickly. */
const MAX_VALUES = 300_000;

/** Reads a body of JSON by its schema; no bytes are null. Throws `bad_request`, `payload_too_large`, `invalid_parameter`. */
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

/** Every value but the first of a list or object comes after a comma. */
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
