import { ApiError } from '../client/errors.ts';
import { isRevisionConflict } from '../library/read-library.ts';
import type { Extent } from './prepare.ts';

/** What to upload in another attempt if somebody else registered first or the store lost content; otherwise null. */
export function retryExtent(error: unknown): Extent | null {
  if (isRevisionConflict(error)) return 'new';
  if (!(error instanceof ApiError)) return null;
  return MAY_BE_LOST.has(error.code) ? 'everything' : null;
}

const MAY_BE_LOST: ReadonlySet<string> = new Set(['files_missing', 'content_mismatch', 'manifest_missing']);
