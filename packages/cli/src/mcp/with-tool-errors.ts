import { ToolError } from '@bindery/mcp';
import { asCommandError } from '../output/command-error.ts';

/** Wraps functions so that every failure is thrown as a `ToolError`, which is reported to the agent. */
export function withToolErrors<Functions extends object>(functions: Functions): Functions {
  const told = Object.entries(functions).map(([name, run]) => [
    name,
    async (...values: unknown[]) => {
      try {
        return await run(...values);
      } catch (error) {
        throw asToolError(error);
      }
    },
  ]);
  return Object.fromEntries(told) as Functions;
}

function asToolError(error: unknown): ToolError {
  if (error instanceof ToolError) return error;
  const { code, message, next } = asCommandError(error);
  const told = new ToolError(code, message);
  return told.next === null ? new ToolError(code, message, next) : told;
}
