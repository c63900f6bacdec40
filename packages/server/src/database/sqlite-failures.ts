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
