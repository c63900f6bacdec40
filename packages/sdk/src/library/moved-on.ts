import { ApiError } from '../client/errors.ts';

/** The library got a new revision while the old one was being read; plans based on that must be made again. */
export class MovedOn extends Error {
  override readonly name = 'MovedOn';
}

/** Whether a failure means that somebody else published in the meantime, so that another try may succeed. */
export function hasMovedOn(error: unknown): boolean {
  if (error instanceof MovedOn) return true;
  return error instanceof ApiError && (error.code === 'revision_conflict' || error.code === 'unknown_path');
}
