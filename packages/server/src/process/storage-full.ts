import { ServiceError } from '../errors.ts';

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
