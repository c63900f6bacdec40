import { namespaceSlug, nodeId, projectSlug } from '@bindery/contract';
import { type Parse, UsageProblem } from './command.ts';

/** A parser that holds the rule of a schema of the contract. */
export function fromSchema<T>(schema: {
  safeParse(
    value: unknown,
  ): { success: true; data: T } | { success: false; error: { issues: { message: string }[] } };
}): Parse<T> {
  return (text) => {
    const result = schema.safeParse(text);
    if (result.success) return result.data;
    throw new UsageProblem(result.error.issues[0]?.message ?? 'something else');
  };
}

/** `<namespace>/<project>`. */
export const projectAddress = inNamespace('projectSlug', fromSchema(projectSlug));

/** `<namespace>/<note id>`. */
export const noteAddress = inNamespace('noteId', fromSchema(nodeId));

function inNamespace<Name extends string>(
  name: Name,
  parse: Parse<string>,
): Parse<{ namespace: string } & Record<Name, string>> {
  const namespace = fromSchema(namespaceSlug);
  return (text) => {
    const [slug = '', rest, ...more] = text.split('/');
    if (rest === undefined || more.length > 0) throw new UsageProblem('write <namespace>/ and what is in it');
    return { namespace: namespace(slug), [name]: parse(rest) } as { namespace: string } & Record<
      Name,
      string
    >;
  };
}
