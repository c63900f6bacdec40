import { z } from 'zod';
import { AUDIT_ACTIONS, type AuditAction } from './audit-actions.ts';
import { pageInfo, timestamp } from './parameters.ts';

export const auditAction = z.enum(AUDIT_ACTIONS);

/** `page`: the service's own pages; `login`: `bindery login`; `watch`: an import that the
 * account has the service make; `machine`: a command on the service's own machine, or the service by itself. */
export const auditVia = z.enum(['page', 'dashboard', 'login', 'token', 'watch', 'machine']);
export type AuditVia = z.infer<typeof auditVia>;

/** One change, or one failed attempt. Names are those at that time. */
export const auditEntry = z.object({
  id: z.string(),
  at: timestamp,
  action: auditAction,
  /** User name of the actor; null: nobody who is signed in, or the operator on the service's own machine. */
  actor: z.string().nullable(),
  via: auditVia,
  namespace: z.string().nullable(),
  target: z.string().nullable(),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  /** Where the request came from; null for what was done on the service's own machine. */
  address: z.string().nullable(),
  userAgent: z.string().nullable(),
});
export type AuditEntry = z.infer<typeof auditEntry>;

export const auditPage = z.object({
  entries: z.array(auditEntry),
  pageInfo,
});
export type AuditPage = z.infer<typeof auditPage>;

/** Which entries to return: `first` of them, older than `after`, from `since` on and before `until` (ISO 8601). */
export interface AuditQuery {
  first: number;
  after?: string | undefined;
  user?: string | undefined;
  action?: AuditAction | undefined;
  namespace?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
}
