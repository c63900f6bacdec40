import type { AuditAction, AuditVia } from '@bindery/contract';

export interface AuditTables {
  audit_log: AuditLogTable;
}

/**
 * What was changed, written in the transaction that changed it. Names are those at that time, and rows do not reference
 * other tables.
 */
export interface AuditLogTable {
  /** Hexadecimal; ids sort by time. */
  id: string;
  at: number;
  action: AuditAction;
  /** The user name of the actor; null if nobody was signed in. */
  actor: string | null;
  via: AuditVia;
  /** The namespace whose owners can read it; null if only operators can. */
  namespace_id: string | null;
  namespace: string | null;
  target: string | null;
  /** A JSON object of plain values. */
  details: string;
  address: string | null;
  user_agent: string | null;
}
