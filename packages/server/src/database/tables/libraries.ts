import type { ManifestLayout, Visibility } from '@bindery/contract';
import type { Generated } from 'kysely';

export interface LibraryTables {
  library_names: LibraryNamesTable;
  libraries: LibrariesTable;
  releases: ReleasesTable;
  register_log: RegisterLogTable;
  retired_revisions: RetiredRevisionsTable;
  dead_stores: DeadStoresTable;
  library_usage: LibraryUsageTable;
  doomed_objects: DoomedObjectsTable;
}

/**
 * The register of library names. A row outlives its library: `last_revision` never goes back, not even after a
 * purge, and `store_id` names the folder of objects that belongs to the name's present library.
 */
export interface LibraryNamesTable {
  namespace_slug: string;
  name: string;
  store_id: string;
  last_revision: number;
  /** How many uploads the store has received: counts up, and orders them. */
  last_upload: Generated<number>;
  /** When the store is to be searched for objects that no revision names; null: nothing to look for. */
  reclaim_due_at: Generated<number | null>;
  /** Counts what may have left objects that no revision names: a pass ends its search only for what it has seen. */
  reclaim_marks: Generated<number>;
  /** Counts the batches of objects whose deletion began: a register commits only if none did since it looked. */
  deletions: Generated<number>;
  /**
   * Counts what changed which objects releases name: a pass marks objects only while it is as when it looked, and what the
   * library was measured to hold counts only so long.
   */
  release_changes: Generated<number>;
}

/** What a register says of a revision, in the row of its library and of its releases. */
export interface RevisionColumns {
  /** Register counter. */
  revision: number;
  type: string;
  title: string | null;
  description: string | null;
  provider: string | null;
  homepage: string | null;
  license: string | null;
  tags: string;
  upstream_repo: string | null;
  upstream_commit: string | null;
  asset_count: number;
  file_count: number;
  total_bytes: number;
  categories: string;
  kinds: string;
  licenses: string;
  /** Dimension and model of the sidecar; both null without a usable one. */
  vectors_dim: number | null;
  vectors_model: string | null;
  /** Object and path of a representative thumbnail. */
  cover_sha256: string | null;
  cover_path: string | null;
  manifest_sha256: string;
  manifest_size: number;
  manifest_layout: Generated<ManifestLayout>;
  /** The revision index: a derived object that answers reads and searches of this revision. */
  index_sha256: string;
  /** The codes by which the vectors are searched: a derived object. Null without, and before there were any. */
  codes_sha256: string | null;
  /** The list of platform artifacts, from which the index can be rebuilt. Null without, and before there were any. */
  artifacts_sha256: string | null;
  updated_at: number;
}

/** The compare-and-swap of a register is on `revision`. */
export interface LibrariesTable extends RevisionColumns {
  id: string;
  namespace_id: string;
  name: string;
  store_id: string;
  state: 'active' | 'deleted';
  /** Counts every change of the row, for the detail's ETag. */
  changes: number;
  visibility: Visibility;
  share_token: string | null;
  /** Uploads up to this number belong to this revision or to none; later ones are for the next. */
  uploads_settled: Generated<number>;
  created_at: number;
  deleted_at: number | null;
}

/**
 * Revisions that have a name, each as its library's row said when it was given. Nothing that they name goes while they
 * stand. Only an index that was rebuilt ever changes a row.
 */
export interface ReleasesTable extends RevisionColumns {
  store_id: string;
  name: string;
  notes: string | null;
  /** The account that made it. */
  created_by: string;
  created_at: number;
}

/** What the last registers of a store changed, and who registered. */
export interface RegisterLogTable {
  store_id: string;
  revision: number;
  registered_by: string;
  registered_at: number;
  asset_count: number;
  file_count: number;
  total_bytes: number;
  assets_added: number;
  assets_removed: number;
  assets_changed: number;
}

/** Revisions that a newer one replaced, or whose release was deleted. Their objects stay until the grace period is over. */
export interface RetiredRevisionsTable {
  store_id: string;
  revision: number;
  index_sha256: string;
  manifest_sha256: string;
  codes_sha256: string | null;
  artifacts_sha256: string | null;
  retired_at: number;
}

/**
 * Objects on their way out. `pending`: no revision names it, and a register that does takes the row away.
 * `deleting`: its bytes are being removed, and nothing may count on them. `leased`: somebody was told that it is
 * stored, and it does not become pending for a while. An object without a row stays.
 */
export interface DoomedObjectsTable {
  store_id: string;
  sha256: string;
  state: 'leased' | 'pending' | 'deleting';
  /** Since when nothing is known to name it; of a lease, when it was given. Says when, never whether. */
  since: number;
  /** Which deletion removes the bytes; null unless `deleting`. */
  deleter: string | null;
}

/** Stores whose library was purged and whose bytes are not all deleted yet. */
export interface DeadStoresTable {
  store_id: string;
}

/**
 * What a library held when it was last measured, its releases included. It counts only while revision and releases are
 * those that were measured.
 */
export interface LibraryUsageTable {
  store_id: string;
  revision: number;
  /** `library_names.release_changes` when it was measured. */
  release_changes: number;
  /** Distinct contents. */
  files: number;
  bytes: number;
}
