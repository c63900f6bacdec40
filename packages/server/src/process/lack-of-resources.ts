import { WorkerFailure } from '@bindery/concurrency';
import { ServiceError, unavailable } from '../errors.ts';

/** Seconds after which a client may retry. */
const RETRY_AFTER = 5;

/** The codes for a lack of file descriptors: of this process, and of the machine. */
const TOO_MANY_FILES = ['EMFILE', 'ENFILE'];

/** The error for what failed because the machine has no more of something, rather than because of a defect; else null. */
export function lackOfResources(error: unknown): ServiceError | null {
  if (isStorageFull(error)) return storageFull('The disk of the service is full.');
  if (!hasTooManyFiles(error)) return null;
  return unavailable('The server has too many open files and connections. Try again.', RETRY_AFTER);
}

type Refusals = { busy: ServiceError } & { [Reason in WorkerFailure['reason']]?: ServiceError };

/** The error for a worker that gave up: `busy`, unless its reason has another. What else failed stays as it is. */
export function refusalOf(error: unknown, refusals: Refusals): unknown {
  return error instanceof WorkerFailure ? (refusals[error.reason] ?? refusals.busy) : error;
}

function hasTooManyFiles(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && TOO_MANY_FILES.includes(code);
}

/** The codes for a full disk: of the operating system, of PostgreSQL, and of SQLite, in the low byte of its codes. */
const FULL_CODES = ['ENOSPC', 'EDQUOT', '53100'];
const SQLITE_FULL = 13;

/** The error for a lack of space. `what` is a sentence that says what is full; the message adds what to do about it. */
export function storageFull(what: string): ServiceError {
  return new ServiceError(
    'storage_full',
    `${what} Nothing was stored. Delete libraries and purge them from the Trash, or ask the operator for more space; then try again.`,
  );
}

/** Whether something failed because a disk, or the database, is full. */
export function isStorageFull(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  if (typeof code === 'string' && FULL_CODES.includes(code)) return true;
  return typeof errcode === 'number' && (errcode & 0xff) === SQLITE_FULL;
}
