import { ApiError } from '../client/errors.ts';

/** The library got a new revision while the old one was being read; what is planned must be planned anew. */
export class MovedOn extends Error {
  override readonly name = 'MovedOn';
}

/** Whether a failure means that somebody else published in the meantime, so that another try may succeed. */
export function hasMovedOn(error: unknown): boolean {
  if (error instanceof MovedOn) return true;
  return error instanceof ApiError && (error.code === 'revision_conflict' || error.code === 'unknown_path');
}
