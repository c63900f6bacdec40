import type { Kysely } from 'kysely';
import type { AccountTables } from './tables/accounts.ts';
import type { AuditTables } from './tables/audit.ts';
import type { CollaborationTables } from './tables/collaboration.ts';
import type { LibraryTables } from './tables/libraries.ts';
import type { LoginTables } from './tables/login.ts';
import type { UploadTables } from './tables/uploads.ts';
import type { WebhookTables } from './tables/webhooks.ts';

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
