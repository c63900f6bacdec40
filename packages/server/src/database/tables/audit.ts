import type { AuditAction, AuditVia } from '@bindery/contract';

export interface AuditTables {
  audit_log: AuditLogTable;
}

/** What was changed, in the transaction that changed it. Names are those of that moment, and no row refers to another. */
export interface AuditLogTable {
  /** Hexadecimal; ids sort by time. */
  id: string;
  at: number;
  action: AuditAction;
  /** The user name of who did it; null: nobody who is signed in. */
  actor: string | null;
  via: AuditVia;
  /** Whose owners may read it; null: only operators. */
  namespace_id: string | null;
  namespace: string | null;
  target: string | null;
  /** A JSON object of plain values. */
  details: string;
  address: string | null;
  user_agent: string | null;
}
