import { NAMESPACE_SLUG, type NameRule, NODE_ID, PROJECT_SLUG } from '@bindery/contract/wire';
import { type Parse, UsageProblem } from './command.ts';

/** Returns a parser that enforces a naming rule of the contract. */
export function nameParser({ pattern, rule }: NameRule): Parse<string> {
  return (text) => {
    if (pattern.test(text)) return text;
    throw new UsageProblem(rule);
  };
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const MINUTE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/;

/** Parses a day, which stands for its first moment in UTC, or a time in UTC; returns it as the service accepts it. */
export const timestamp: Parse<string> = (text) => {
  const time = DAY.test(text) || MINUTE.test(text) ? Date.parse(text) : Number.NaN;
  // Date.parse reads 30 February as 2 March.
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(text.slice(0, 10)))
    return new Date(time).toISOString();
  throw new UsageProblem('expected a date (2026-03-01) or a time in UTC (2026-03-01T09:30Z)');
};

/** `<namespace>/<project>`. */
export const projectAddress = inNamespace('projectSlug', 'project', nameParser(PROJECT_SLUG));

/** `<namespace>/<note id>`. */
export const noteAddress = inNamespace('noteId', 'note id', nameParser(NODE_ID));

function inNamespace<Name extends string>(
  name: Name,
  label: string,
  parse: Parse<string>,
): Parse<{ namespace: string } & Record<Name, string>> {
  const namespace = nameParser(NAMESPACE_SLUG);
  return (text) => {
    const [slug = '', rest, ...more] = text.split('/');
    if (rest === undefined || more.length > 0) throw new UsageProblem(`expected <namespace>/<${label}>`);
    return { namespace: namespace(slug), [name]: parse(rest) } as { namespace: string } & Record<
      Name,
      string
    >;
  };
}

/** Parses a text that says something. */
export const textUpTo =
  (most: number): Parse<string> =>
  (value) => {
    if (value.trim() !== '' && value.length <= most) return value;
    throw new UsageProblem(`a text of 1 to ${most} characters`);
  };
