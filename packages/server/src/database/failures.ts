import { ServiceError } from '../errors.ts';

/** What the databases report when a constraint refuses a write: PostgreSQL's SQLSTATE, SQLite's extended codes. */
const UNIQUE = { postgres: '23505', sqlite: [1555, 2067] };
const FOREIGN_KEY = { postgres: '23503', sqlite: [787, 1811] };

/** Whether a write failed because a row with this key already exists. */
export function isUniqueViolation(error: unknown): boolean {
  return violates(error, UNIQUE);
}

/** Whether a write failed because the row is still referenced, or references one that does not exist. */
export function isForeignKeyViolation(error: unknown): boolean {
  return violates(error, FOREIGN_KEY);
}

function violates(error: unknown, constraint: { postgres: string; sqlite: number[] }): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return code === constraint.postgres || constraint.sqlite.includes(Number(errcode));
}

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

/** Primary result codes of SQLite, the low byte of its codes. */
const DAMAGED = [11, 26];
const BUSY = [5, 6];

const CHECK_OWNER =
  'check the owner and permissions of the file, of those beside it that begin with its name, and of the folder';

const REASONS: Record<number, string> = {
  3: `this user may not use it; ${CHECK_OWNER}`,
  5: 'another program holds a lock on it; stop that program, and try again',
  6: 'another program holds a lock on it; stop that program, and try again',
  8: `it cannot be written; ${CHECK_OWNER}, and that the disk is not mounted read-only`,
  10: 'the disk fails to read or write it; check the disk and the log of the operating system',
  13: 'the disk is full; free some space, and try again',
  14: 'it cannot be opened; check that it is a file, and the owner and permissions of the file and its folder',
};

/** Whether SQLite found that the content of a database is damaged, rather than that it cannot be used. */
export function isSqliteDamage(error: unknown): boolean {
  return DAMAGED.includes(primaryCode(error));
}

/** Whether another process holds a lock. */
export function isSqliteBusy(error: unknown): boolean {
  return BUSY.includes(primaryCode(error));
}

/** Says why SQLite cannot use an undamaged database and what to do; null for other errors. */
export function sqliteReason(error: unknown): string | null {
  return REASONS[primaryCode(error)] ?? systemReason(error);
}

function systemReason(error: unknown): string | null {
  const { code } = (error ?? {}) as { code?: unknown };
  if (code === 'EACCES' || code === 'EPERM') return REASONS[3] ?? null;
  if (code === 'EIO') return REASONS[10] ?? null;
  return null;
}

function primaryCode(error: unknown): number {
  const { errcode } = (error ?? {}) as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : 0;
}
