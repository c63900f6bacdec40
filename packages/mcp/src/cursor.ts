import { z } from 'zod';
import { ToolError } from './tool-error.ts';

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
