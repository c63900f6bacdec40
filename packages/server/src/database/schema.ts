import type { AuditAction, AuditVia, ServiceEvent, WebhookEvent } from '@bindery/contract';
import type { Generated, Kysely } from 'kysely';
import type { AccountTables, CollaborationTables, LoginTables } from './tables/accounts.ts';
import type { LibraryTables, SearchTables, UploadTables } from './tables/libraries.ts';

/**
 * The tables. Times are integer milliseconds since 1970 (UTC), booleans 0 or 1, lists JSON text, so that SQLite
 * and PostgreSQL hold the same values. Ids are random text.
 */
export interface Tables
  extends AccountTables,
    AuditTables,
    LoginTables,
    LibraryTables,
    UploadTables,
    SearchTables,
    CollaborationTables,
    WebhookTables {
  settings: SettingsTable;
  schema_changes: SchemaChangesTable;
  servers: ServersTable;
  scrub: ScrubTable;
}

/** The port to the database: the same queries run on SQLite and on PostgreSQL. */
export type Database = Kysely<Tables>;

/** Values that every replica shares: signing keys, the presign secret, the one-time set-up link. */
export interface SettingsTable {
  key: string;
  value: string;
}

/** The migrations that have been applied, for releases that do not know all of them. */
export interface SchemaChangesTable {
  migration: string;
  /** The version of the service that applied it. */
  made_by: string;
  /** The newest migration that code must know in order to run on the resulting schema. */
  runs_from: string;
}

/** The servers that use this database, or did until recently. */
export interface ServersTable {
  id: string;
  host: string;
  version: string;
  /** Where its objects are stored. */
  store: string;
  /** The model that encodes queries; null if there is none. */
  model: string | null;
  /** Milliseconds by which its clock was ahead of the database's. */
  skew: number;
  started_at: number;
  /** When it last sent a heartbeat; both times by the clock of the database. */
  seen_at: number;
}

/** Progress of the background scrub. One row. */
export interface ScrubTable {
  id: string;
  /** The server that is scrubbing; empty if none is. */
  holder: string;
  /** Incremented by the holder as it works, so that others see that it is still running. */
  beats: number;
  /** The last object that this round has read; a round visits stores and hashes in order. Empty between rounds. */
  store_id: string;
  sha256: string;
  /** Totals of this round so far. */
  objects: number;
  bytes: number;
  damaged: number;
  /** When the last round ended, in milliseconds since 1970, and what it read; null until one has. */
  ended_at: number | null;
  last_objects: number | null;
  last_bytes: number | null;
  last_damaged: number | null;
}

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

export interface WebhookTables {
  webhooks: WebhooksTable;
  webhook_deliveries: WebhookDeliveriesTable;
}

/** Where changes in a namespace are sent. */
export interface WebhooksTable {
  id: string;
  namespace_id: string;
  url: string;
  /** Names of events, each with a space before and after it; null: all. */
  events: string | null;
  /** `whsec_` and base64. */
  secret: string;
  /** The previous secret, which also signs deliveries until then. */
  previous_secret: string | null;
  previous_secret_until: number | null;
  /** Since when no attempt has succeeded; null if the last one did. */
  failing_since: number | null;
  paused_at: number | null;
  /** Why the service or an operator paused it; null if an owner did. */
  pause_reason: string | null;
  /** Whether an operator paused it, so that its owners cannot resume it: 0 or 1. Meaningful only while it is paused. */
  paused_by_operator: Generated<number>;
  /** Whether operators chose it to receive service events too: 0 or 1. */
  service_events: Generated<number>;
  /** The sender that is working on it, and until when others leave it alone. */
  sender: string | null;
  held_until: Generated<number>;
  created_at: number;
  created_by: string;
}

/** Events that were or are to be sent, each written in the transaction of the change that it reports. */
export interface WebhookDeliveriesTable {
  webhook_id: string;
  /** The header `webhook-id`. Ids of a webhook sort by time. */
  id: string;
  event: WebhookEvent | ServiceEvent | 'ping';
  /** The body, as it is sent. */
  payload: string;
  state: 'pending' | 'delivered' | 'failed';
  attempts: number;
  /** When the next attempt is due; null if there is none. */
  due_at: number | null;
  last_attempt_at: number | null;
  last_status: number | null;
  last_error: string | null;
  /** Milliseconds. */
  last_duration: number | null;
  created_at: number;
}
