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
