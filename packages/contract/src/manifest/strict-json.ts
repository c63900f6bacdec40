import { describeReceived } from '../describe-received.ts';
import { jsonPointer } from '../json-pointer.ts';

/** Maximum nesting of lists and objects: far more than any manifest needs, far less than would exhaust a stack. */
export const MAX_NESTING = 512;

/**
 * Maximum objects and lists, and maximum keys, of a document: more than the largest manifest needs, and few enough that
 * 100 MiB, once parsed, fit into memory.
 */
export const MAX_JSON = { containers: 4_000_000, keys: 10_000_000 };

/** Maximum keys of one object. `meta` has the most: its 8,192 bytes hold about 1,600. */
const MAX_KEYS_OF_OBJECT = 2_048;

/** Why bytes are not JSON as this service accepts it, with the JSON pointer of the place if it is known. */
export interface JsonProblem {
  /** `shape`: it may be JSON, but is not a document of this service. The text after that place was not read. */
  kind: 'json' | 'shape';
  pointer: string;
  message: string;
}

export type ParsedJson = { ok: true; value: unknown } | { ok: false; problem: JsonProblem };

/**
 * Parses JSON (RFC 8259) in UTF-8, and refuses what parsers read differently or cannot hold: a byte order mark, invalid
 * UTF-8, duplicate keys, nesting beyond `MAX_NESTING`, more values than fit into memory, an object with more keys than
 * any document has. Takes time linear in the length.
 */
export function parseStrictJson(bytes: Uint8Array): ParsedJson {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return refuse('', 'starts with a byte order mark');
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return refuse('', 'is not valid UTF-8');
  }
  const problem = findAmbiguity(text);
  if (problem !== null) return { ok: false, problem };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return refuse('', `is not valid JSON: ${(error as Error).message}`);
  }
}

function refuse(pointer: string, message: string): ParsedJson {
  return { ok: false, problem: { kind: 'json', pointer, message } };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** An object or list that is open at some point of the scan. */
interface Level {
  isObject: boolean;
  /** Keys of the object so far; none for a list. */
  keys: Set<string>;
  /** The key or the index of the member that is being read. */
  step: string | number;
  /** Whether the next string is a key. */
  keyNext: boolean;
}

/**
 * Returns the first duplicate key, or the first place that exceeds a bound on nesting, containers or keys. Knows just
 * enough of the grammar to recognise keys; text that is not JSON may pass, for the actual parser to refuse.
 */
function findAmbiguity(text: string): JsonProblem | null {
  // Used again for what comes later at the same depth: there are hundreds of thousands of small objects.
  const levels: Level[] = [];
  let depth = 0;
  const open = () => levels.slice(0, depth);
  let level: Level | undefined;
  let containers = 0;
  let keys = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const start = at;
        at = endOfString(text, start);
        if (!level?.keyNext) break;
        const key = readKey(text, start, at);
        if (key === null) break;
        level.step = key;
        level.keyNext = false;
        if (level.keys.has(key)) return duplicate(open(), key);
        level.keys.add(key);
        if (level.keys.size > MAX_KEYS_OF_OBJECT) return tooManyOfOne(open());
        if (++keys > MAX_JSON.keys) return tooMany('keys', MAX_JSON.keys);
        break;
      }
      case COMMA:
        if (level === undefined) break;
        if (level.isObject) level.keyNext = true;
        else level.step = Number(level.step) + 1;
        break;
      case OPEN_OBJECT:
      case OPEN_LIST: {
        if (depth === MAX_NESTING) return tooDeep();
        if (++containers > MAX_JSON.containers) return tooMany('objects and lists', MAX_JSON.containers);
        const isObject = text.charCodeAt(at) === OPEN_OBJECT;
        level = levels[depth] ??= { isObject, keys: new Set(), step: '', keyNext: isObject };
        level.isObject = isObject;
        level.keys.clear();
        level.step = isObject ? '' : 0;
        level.keyNext = isObject;
        depth++;
        break;
      }
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        depth = Math.max(0, depth - 1);
        level = depth > 0 ? levels[depth - 1] : undefined;
        break;
    }
  }
  return null;
}

/** Returns the position of the quote that ends the string which starts at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

/** Whether an odd number of backslashes is right before a quote. */
function isEscaped(text: string, quote: number): boolean {
  let before = quote;
  while (text.charCodeAt(before - 1) === BACKSLASH) before--;
  return (quote - before) % 2 === 1;
}

/** Returns the key between two quotes, with its escapes resolved; null if it is not a JSON string. */
function readKey(text: string, start: number, end: number): string | null {
  const raw = text.slice(start + 1, end);
  if (!raw.includes('\\')) return raw;
  try {
    return JSON.parse(`"${raw}"`);
  } catch {
    return null;
  }
}

function duplicate(open: readonly Level[], key: string): JsonProblem {
  return {
    kind: 'json',
    pointer: jsonPointer(open.map((level) => level.step)),
    message: `has the key ${describeReceived(key)} twice`,
  };
}

function tooDeep(): JsonProblem {
  return { kind: 'json', pointer: '', message: `is nested deeper than ${MAX_NESTING} levels` };
}

function tooMany(what: string, max: number): JsonProblem {
  return { kind: 'json', pointer: '', message: `has more than ${max} ${what}` };
}

function tooManyOfOne(open: readonly Level[]): JsonProblem {
  const pointer = jsonPointer(open.slice(0, -1).map((level) => level.step));
  return { kind: 'shape', pointer, message: `has more than ${MAX_KEYS_OF_OBJECT} keys` };
}
