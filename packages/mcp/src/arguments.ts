import { describeReceived, inputRule } from '@bindery/contract';
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { ToolError } from './tool-error.ts';

/**
 * The schema as the protocol's library needs it to describe a tool. It accepts everything: arguments are read with
 * `readArguments`, because the library reports wrong ones in its own words, without saying what to do.
 */
export function described(schema: z.ZodObject): StandardSchemaWithJSON<Record<string, unknown>> {
  const { version, vendor, jsonSchema } = schema['~standard'] as StandardSchemaWithJSON['~standard'];
  const validate = (value: unknown) => ({ value: value as Record<string, unknown> });
  return { '~standard': { version, vendor, jsonSchema, validate } };
}

/** Reads the arguments of a call. Throws `invalid_parameter`, which names everything that is wrong. */
export function readArguments<Input extends z.ZodObject>(
  tool: string,
  schema: Input,
  values: unknown,
): z.output<Input> {
  const read = schema.safeParse(values, { error: inputRule });
  if (read.success) return read.data;
  const { issues } = read.error;
  const problems = issues.flatMap((issue) => problemsOf(issue, values));
  // Names and rules of the schema; texts that were received may be those of authors.
  const message = problems.map(({ rule }) => rule).join(' ') as 'rules';
  const received = problems.flatMap((problem) => problem.received ?? []);
  const next = nextAfter(tool, schema, issues);
  throw new ToolError('invalid_parameter', message, next, received.length > 0 ? { received } : null);
}

function problemsOf(issue: z.core.$ZodIssue, values: unknown): { rule: string; received?: string }[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ rule: `There is no argument ${describeReceived(key)}.` }));
  }
  const received = issue.path.reduce<unknown>(
    (part, step) => (part as Record<PropertyKey, unknown>)?.[step],
    values,
  );
  const name = JSON.stringify(issue.path.map(String).join('.'));
  if (received === undefined) return [{ rule: `The argument ${name} is missing.` }];
  const rule = `${name} ${ruleOf(issue)}`;
  const told = describeReceived(received);
  if (typeof received === 'number') return [{ rule: `${rule} (received ${told}).` }];
  return [{ rule: `${rule}.`, received: told }];
}

/** Rules of single fields may say only what is expected. */
function ruleOf({ message }: z.core.$ZodIssue): string {
  return message.startsWith('must ') ? message : `is not valid: ${message}`;
}

/** Describes the arguments that are wrong, or lists all of them if some do not exist. */
function nextAfter(tool: string, { shape }: z.ZodObject, issues: readonly z.core.$ZodIssue[]): string {
  const names = issues.some(({ code }) => code === 'unrecognized_keys')
    ? Object.keys(shape)
    : new Set(issues.map(({ path: [name] }) => String(name)));
  const takes = [...names].flatMap((name) => {
    const field = shape[name] as z.ZodType | undefined;
    if (field === undefined) return [];
    const required = field.safeParse(undefined).success ? '' : ' (required)';
    return `${name}${required}: ${(field.description ?? '').replace(/\.$/, '')}`;
  });
  return `Call ${tool} again with these corrected. ${takes.join('; ')}.`;
}

/**
 * Bounds of answers: how much one tool call gives a model. Sizes are in bytes, lengths in characters. With the defaults
 * an answer has about 8 KiB.
 */
const KIB = 1024;

export const BOUNDS = {
  hits: { default: 8, max: 50 },
  /** Values of each filter that are counted. */
  facetValues: 8,
  libraries: { default: 10, max: 100 },
  /** How deep a list of libraries can be paged. */
  listedLibraries: 500,
  /** Releases per page. */
  releases: 20,
  /** Projects or Notes per page. */
  listed: 30,
  files: { default: 25, max: 500 },
  nodes: 20,
  /** Of a description in a list; `inspect_asset` has the whole. */
  listedText: 200,
  pictures: { perAnswer: 8, bytes: 192 * KIB, bytesPerAnswer: 768 * KIB },
  /** The largest file that is read as text, and how much of it one answer holds. */
  textFile: { bytes: 1_024 * KIB, page: 7_000 },
  /** The largest file that is a resource, in bytes. */
  resource: 16 * 1_024 * KIB,
  /** Assets in a report about a pull. */
  pulledAssets: 20,
  /** Assets added to a project in one call. */
  usedAssets: 50,
  /** Assets in a scene, and what is said of the whole. */
  sceneAssets: 20,
  sceneProblems: 10,
  lostNames: 4,
  /** Paths in a report about a folder. */
  listedPaths: 30,
} as const;

/** Where the next page of a list begins. Valid only for the same question, and opaque to clients. */
const position = z.tuple([z.string(), z.int().min(0)]);

export const cursorInput = z
  .string()
  .max(2_048)
  .optional()
  .describe('nextCursor of the previous response; leave all other arguments unchanged.');

/** @param question what the list is about; a cursor of another question is refused */
export function writeCursor(question: string, offset: number): string {
  return Buffer.from(JSON.stringify([question, offset])).toString('base64url');
}

export function readCursor(question: string, cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const read = position.safeParse(parse(cursor));
  if (read.success && read.data[0] === question) return read.data[1];
  throw new ToolError(
    'invalid_cursor',
    'This cursor belongs to another call.',
    'Call the tool without a cursor, or with the other arguments of that call.',
  );
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}
