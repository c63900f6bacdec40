import { relayedError, ToolError } from '@bindery/mcp';
import { BinderyError } from '@bindery/sdk';
import { asCommandError } from '../output/command-error.ts';

/**
 * Wraps functions so that every failure is thrown as a `ToolError`, which is reported to the agent.
 *
 * @param reword changes what messages say to people at a terminal
 * @param from the folder from which they name paths, if not the current one
 */
export function withToolErrors<Functions extends object>(
  functions: Functions,
  reword: (message: string) => string = (message) => message,
  from?: string,
): Functions {
  const told = Object.entries(functions).map(([name, run]) => [
    name,
    async (...values: unknown[]) => {
      try {
        return await run(...values);
      } catch (error) {
        throw asToolError(error, reword, from);
      }
    },
  ]);
  return Object.fromEntries(told) as Functions;
}

function asToolError(
  error: unknown,
  reword: (message: string) => string,
  from: string | undefined,
): ToolError {
  if (error instanceof ToolError) return error;
  const { code, message: written, next } = asCommandError(error, from);
  const refused = error instanceof BinderyError && error.code === 'push_refused' ? error : null;
  const own = refused && (refused.details.pullFirst === null ? NEXT_AFTER_PULL : NEXT_AFTER_REFUSAL);
  return relayedError(code, { message: reword(written), next }, own ?? undefined);
}

/** Overruling others is for people: the tools have no way to do it. */
const NEXT_AFTER_REFUSAL =
  'Call pull_assets for this folder, which keeps what was edited there, then plan_push. If the library is wrong, ask the person.';
const NEXT_AFTER_PULL =
  'Edit these files so that they have the changes of both sides, or delete what was deleted there, then plan_push. If the library is wrong, ask the person.';
