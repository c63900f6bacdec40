import { ServiceError } from '../errors.ts';

/** Seconds after which a client may retry. */
const RETRY_AFTER = 5;

/** No connection to the database can be had, so nothing was asked of it. `cause` is for operators. */
export class DatabaseUnreachable extends ServiceError {
  constructor(cause: unknown) {
    super('unavailable', 'The database cannot be reached. Try again.', { retryAfter: RETRY_AFTER });
    this.cause = cause;
  }
}
