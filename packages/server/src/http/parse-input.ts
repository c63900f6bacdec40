import { inputRule } from '@bindery/contract';
import type { z } from 'zod';
import { invalidParameter, ServiceError } from '../errors.ts';

/** Maximum length of a wrong value that a message repeats. */
const MAX_ECHO = 80;

/** Maximum nesting depth of the contract's bodies. */
const DEEPEST = 8;

/** Parses parameters of the path or query, or arguments. Throws `invalid_parameter` with the name. */
export function parseNamed<Schema extends z.ZodType>(schema: Schema, values: unknown): z.output<Schema> {
  return parse(schema, values, (path) => path.map(String).join('../input'), ONCE) as z.output<Schema>;
}

/** The rule that a parameter breaks that is given twice. */
const ONCE = 'can be given only once';

/** Parses a JSON value. Throws `invalid_parameter` with a JSON pointer. */
export function parseJson(schema: z.ZodType, value: unknown): unknown {
  return parse(schema, value, (path) => path.map((step) => `/${escapePointer(step)}`).join(''));
}

function parse(
  schema: z.ZodType,
  value: unknown,
  nameOf: (path: PropertyKey[]) => string,
  once?: string,
): unknown {
  const nul = pathOfNul(value);
  if (nul) throw refuse(nameOf(nul), 'the character U+0000 is not allowed', value, nul);
  const result = schema.safeParse(value, { error: inputRule });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (!issue) throw new ServiceError('bad_request', 'The request is not valid.');
  const unknownKey = issue.code === 'unrecognized_keys';
  const path = unknownKey ? [...issue.path, issue.keys[0] ?? ''] : issue.path;
  throw refuse(nameOf(path), ruleOf(issue, valueAt(value, path), once), value, path);
}

function ruleOf(issue: z.core.$ZodIssue, received: unknown, once: string | undefined): string {
  if (issue.code === 'unrecognized_keys') return 'there is no such parameter';
  const isRepeated = issue.code === 'invalid_type' && Array.isArray(received);
  return isRepeated && once !== undefined ? once : issue.message;
}

function refuse(name: string, rule: string, value: unknown, path: PropertyKey[]): ServiceError {
  const received = valueAt(value, path);
  const shown = name.length > MAX_ECHO ? `${name.slice(0, MAX_ECHO)}…` : name;
  return invalidParameter(shown, `${shown || 'body'}: ${rule} (received ${describe(received)}).`);
}

function valueAt(value: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>((at, step) => (at as Record<PropertyKey, unknown>)?.[step], value);
}

/** Returns the path to a string with U+0000, which no name has and PostgreSQL cannot store; null if there is none. */
function pathOfNul(value: unknown, depth = DEEPEST): PropertyKey[] | null {
  if (typeof value === 'string') return value.includes('\0') ? [] : null;
  if (typeof value !== 'object' || value === null || depth === 0) return null;
  for (const key in value) {
    const found = pathOfNul((value as Record<string, unknown>)[key], depth - 1);
    if (found) return [key, ...found];
  }
  return null;
}

function escapePointer(step: PropertyKey): string {
  return String(step).replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Describes what was received, briefly enough for a message; lists and objects only by their kind. */
function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value);
  return text.length > MAX_ECHO ? `${text.slice(0, MAX_ECHO)}…` : text;
}
