import { NAMESPACE_SLUG, type NameRule, NODE_ID, PROJECT_SLUG } from '@bindery/contract/wire';
import { type Parse, UsageProblem } from './command.ts';

/** A parser that holds a rule of the contract. */
export function named({ pattern, rule }: NameRule): Parse<string> {
  return (text) => {
    if (pattern.test(text)) return text;
    throw new UsageProblem(rule);
  };
}

/** `<namespace>/<project>`. */
export const projectAddress = inNamespace('projectSlug', named(PROJECT_SLUG));

/** `<namespace>/<note id>`. */
export const noteAddress = inNamespace('noteId', named(NODE_ID));

function inNamespace<Name extends string>(
  name: Name,
  parse: Parse<string>,
): Parse<{ namespace: string } & Record<Name, string>> {
  const namespace = named(NAMESPACE_SLUG);
  return (text) => {
    const [slug = '', rest, ...more] = text.split('/');
    if (rest === undefined || more.length > 0) throw new UsageProblem('write <namespace>/ and what is in it');
    return { namespace: namespace(slug), [name]: parse(rest) } as { namespace: string } & Record<
      Name,
      string
    >;
  };
}
