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
