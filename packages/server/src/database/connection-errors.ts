import { ServiceError } from '../errors.ts';

/** Seconds after which a client may retry. */
const RETRY_AFTER = 5;

/** No connection to the database could be established, so no statement was sent. `cause` is for operators. */
export class DatabaseUnreachable extends ServiceError {
  constructor(cause: unknown) {
    super('unavailable', 'The database cannot be reached. Try again.', { retryAfter: RETRY_AFTER });
    this.cause = cause;
  }
}

/** The other end of a connection was silent for too long. */
export class ConnectionSilent extends Error {
  override readonly name = 'ConnectionSilent';
}

/** Whether a connection broke after a statement was sent, so that it is unknown whether the statement was executed. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof ConnectionSilent) return true;
  const { code, message } = error as { code?: unknown; message?: unknown };
  return (
    (typeof code === 'string' && ENDED_BY_SERVER.has(code)) ||
    (typeof message === 'string' && message.startsWith('Connection terminated'))
  );
}

/** PostgreSQL's SQLSTATEs when it ends a connection: by an operator, after a crash, or because it cannot accept one. */
const ENDED_BY_SERVER = new Set(['57P01', '57P02', '57P03']);
