import type { z } from 'zod';

/** What values of a type are called in messages. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const COUNTED: Readonly<Record<string, [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};

/**
 * Says what a value must be, in the words of all messages: "must be at most 50". For schemas that do not say it
 * themselves, as the `error` of a parse; undefined leaves it to the schema library.
 */
export function inputRule(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${oneOf(issue.values.map((value) => JSON.stringify(value)))}`;
    case 'too_big':
      return `must ${bound('at most', issue.origin, issue.maximum)}`;
    case 'too_small':
      return Number(issue.minimum) === 1 && issue.origin in COUNTED
        ? 'must not be empty'
        : `must ${bound('at least', issue.origin, issue.minimum)}`;
    case 'invalid_union':
      return unionRule(issue.errors);
    default:
      return undefined;
  }
}

function bound(most: string, origin: string, limit: number | bigint): string {
  const units = COUNTED[origin];
  if (units === undefined) return `be ${most} ${limit}`;
  return `have ${most} ${limit} ${units[Number(limit) === 1 ? 0 : 1]}`;
}

function unionRule(alternatives: readonly (readonly { message: string }[])[]): string | undefined {
  const rules = alternatives.flatMap(([first]) => first?.message.replace(/^must be /, '') ?? []);
  return rules.length === 0 ? undefined : `must be ${oneOf(rules)}`;
}

function oneOf(values: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(values);
}
