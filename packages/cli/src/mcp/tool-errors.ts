import { ToolError } from '@bindery/mcp';
import { asCommandError } from '../output/command-error.ts';

/** The same functions, which throw every failure as one that is told to an agent. */
export function telling<Functions extends object>(functions: Functions): Functions {
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
