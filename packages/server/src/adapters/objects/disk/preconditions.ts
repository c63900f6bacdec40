import type { IncomingMessage } from 'node:http';
import { preconditionFailed } from '../../../errors.ts';
import { isMatch, isNoneMatch } from '../../../http/entity-tag.ts';

/** Whether the client already has this file. Throws `precondition_failed` if it wants only another one. */
export function isUnchanged({ headers }: IncomingMessage, etag: string): boolean {
  const { 'if-match': expected, 'if-none-match': known } = headers;
  if (expected !== undefined && !isMatch(expected, etag)) {
    throw preconditionFailed('The file at this URL has another entity tag.');
  }
  return known !== undefined && isNoneMatch(known, etag);
}
