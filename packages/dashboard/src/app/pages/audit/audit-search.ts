import { AUDIT_ACTIONS, type AuditAction, NAMESPACE_SLUG } from '@bindery/contract/wire';
import { singlesOf } from '../../url.ts';

/** Filters of the audit log, as in the address of its page. */
export interface AuditSearch {
  user?: string;
  action?: AuditAction;
  namespace?: string;
  /** Days such as `2026-03-01` in the viewer's time zone; both are inclusive. */
  from?: string;
  to?: string;
}

/** Ignores invalid values. */
export function readAuditSearch(values: Record<string, unknown>): AuditSearch {
  const given = singlesOf(values, 'user', 'namespace', 'from', 'to');
  const isValid = ([name, value]: [string, string]) =>
    name === 'from' || name === 'to' ? startOf(value) !== null : NAMESPACE_SLUG.pattern.test(value);
  const search: AuditSearch = Object.fromEntries(Object.entries(given).filter(isValid));
  const action = AUDIT_ACTIONS.find((one) => one === values.action);
  return action === undefined ? search : { ...search, action };
}

/** The filters as the service expects them. */
export function auditQueryOf({ from, to, ...search }: AuditSearch) {
  const since = from === undefined ? null : startOf(from);
  const until = to === undefined ? null : startOf(to, 1);
  return {
    ...search,
    ...(since && { since: since.toISOString() }),
    ...(until && { until: until.toISOString() }),
  };
}

/** Returns the start of a day in local time, or of the day `later` days after it; null if `day` is not a date. */
function startOf(day: string, later = 0): Date | null {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day)?.slice(1).map(Number);
  if (parts === undefined) return null;
  const [year = 0, month = 0, date = 0] = parts;
  const start = new Date(year, month - 1, date);
  if (year < 1970 || start.getMonth() !== month - 1 || start.getDate() !== date) return null;
  start.setDate(date + later);
  return start;
}
