import { ServiceError } from '../errors.ts';
import { isStorageFull, storageFull } from './storage-full.ts';

/** Seconds after which a client may retry. */
const RETRY_AFTER = 5;

/** The codes for a lack of file descriptors: of this process, and of the machine. */
const TOO_MANY_FILES = ['EMFILE', 'ENFILE'];

/** The error for what failed because the machine has no more of something, rather than because of a defect; else null. */
export function lackOfResources(error: unknown): ServiceError | null {
  if (isStorageFull(error)) return storageFull('The disk of the service is full.');
  if (!hasTooManyFiles(error)) return null;
  return new ServiceError('unavailable', 'The server has too many open files and connections. Try again.', {
    retryAfter: RETRY_AFTER,
  });
}

function hasTooManyFiles(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && TOO_MANY_FILES.includes(code);
}
