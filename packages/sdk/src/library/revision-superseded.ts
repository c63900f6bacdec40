import { ApiError } from '../client/errors.ts';

/** The library got a new revision while the old one was being read; plans based on that must be made again. */
export class RevisionSupersededError extends Error {
  override readonly name = 'RevisionSupersededError';
}

/** Whether a failure means that somebody else published in the meantime, so that another try may succeed. */
export function isRevisionConflict(error: unknown): boolean {
  if (error instanceof RevisionSupersededError) return true;
  return error instanceof ApiError && (error.code === 'revision_conflict' || error.code === 'unknown_path');
}
