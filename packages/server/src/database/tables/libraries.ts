import type { ManifestLayout, ProposalSummary, Visibility, WatchSchedule } from '@bindery/contract';
import type { Generated } from 'kysely';

export interface LibraryTables {
  library_names: LibraryNamesTable;
  libraries: LibrariesTable;
  releases: ReleasesTable;
  signatures: SignaturesTable;
  register_log: RegisterLogTable;
  retired_revisions: RetiredRevisionsTable;
  dead_stores: DeadStoresTable;
  library_usage: LibraryUsageTable;
  doomed_objects: DoomedObjectsTable;
  favourites: FavouritesTable;
  use_counts: UseCountsTable;
  proposals: ProposalsTable;
  proposal_comments: ProposalCommentsTable;
  proposal_checks: ProposalChecksTable;
  watches: WatchesTable;
  image_layers: ImageLayersTable;
  image_documents: ImageDocumentsTable;
}

/**
 * Changes that wait for somebody who may publish them, and the latest that were decided. While one is open, nothing that
 * its revision consists of is deleted.
 */
export interface ProposalsTable {
  store_id: string;
  /** From 1, without gaps. */
  number: number;
  namespace_id: string;
  title: string;
  message: string | null;
  state: ProposalSummary['state'];
  author_id: string;
  opened_at: number;
  decided_by: string | null;
  decided_at: number | null;
  base_revision: number;
  accepted_revision: number | null;
  assets_added: number;
  assets_removed: number;
  assets_changed: number;
  /** Contents that the library did not have. */
  files_added: number;
  bytes_added: number;
  /** JSON of the contract: what the author's client found; null if it checked nothing. */
  checks: string | null;
  /** JSON: what it changes, and the state of that when it was made (`ProposedChange`); null once it is decided. */
  change: string | null;
  /** The columns of its revision as JSON; null once it is decided. */
  described: string | null;
  index_sha256: string;
  manifest_sha256: string;
  codes_sha256: string | null;
  artifacts_sha256: string | null;
}

export interface ProposalCommentsTable {
  store_id: string;
  proposal: number;
  /** From 1, without gaps. */
  number: number;
  author_id: string;
  at: number;
  text: string;
}

/** What tools found in proposals. */
export interface ProposalChecksTable {
  store_id: string;
  proposal: number;
  name: string;
  state: 'passed' | 'failed';
  summary: string | null;
  url: string | null;
  /** Id of an account. */
  posted_by: string;
  posted_at: number;
}

/** The digests of a layer of a container image: `sha256` as it is sent, and of the archive in it. */
export interface ImageLayersTable {
  store_id: string;
  files_sha256: string;
  sha256: string;
  tar_sha256: string;
  crc32: number;
}

/** Which index a manifest, index or configuration of a container image was written from. */
export interface ImageDocumentsTable {
  store_id: string;
  sha256: string;
  index_sha256: string;
}

/** Libraries that accounts have marked for themselves. */
export interface FavouritesTable {
  account_id: string;
  library_id: string;
  created_at: number;
}

/**
 * How often assets of a store were downloaded, and were pinned by a project. Nothing says by whom or when. The row with
 * an empty `asset_id` has the totals of the store.
 */
export interface UseCountsTable {
  store_id: string;
  asset_id: string;
  downloads: number;
  uses: number;
}

/**
 * All library names. A row outlives its library: `last_revision` never decreases, not even after a purge, and
 * `store_id` names the folder of objects of the library that currently has the name.
 */
export interface LibraryNamesTable {
  namespace_slug: string;
  name: string;
  store_id: string;
  last_revision: number;
  /** Number of uploads that the store has received; the counter orders them. */
  last_upload: Generated<number>;
  /** When to search the store for objects that no revision names; null if there is nothing to search for. */
  reclaim_due_at: Generated<number | null>;
  /**
   * Counts changes that might have left objects that no revision names: a pass marks the search as done only if the
   * count is still the one that it started with.
   */
  reclaim_marks: Generated<number>;
  /**
   * Counts the batches of objects whose deletion began: a register commits only if none began since it read the count.
   */
  deletions: Generated<number>;
  /**
   * Counts changes to the set of objects that releases name: a pass marks objects, and the measured usage of the
   * library is valid, only while the count is unchanged.
   */
  release_changes: Generated<number>;
  /** Sums over the receipts that count and that no register has settled. */
  unregistered_files: Generated<number>;
  unregistered_bytes: Generated<number>;
}

/** What a register records about a revision, in the row of its library and of its releases. */
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
  /** The revision index: a derived object that serves reads and searches of this revision. */
  index_sha256: string;
  /**
   * The codes by which the vectors are searched: a derived object. Null without vectors, and for revisions older than
   * codes.
   */
  codes_sha256: string | null;
  /**
   * The list of platform artifacts, from which the index can be rebuilt. Null without artifacts, and for revisions
   * older than such lists.
   */
  artifacts_sha256: string | null;
  updated_at: number;
}

/** A register does its compare-and-swap on `revision`. */
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
  /** The asset whose thumbnail is chosen as the cover; null for the first that has one. It may be gone. */
  cover_asset: string | null;
  /**
   * A list in JSON: the hash of a manifest, and those of the thumbnails of its first assets. It says nothing of a row with
   * another manifest, which was registered by code that does not know of it. Null if no code did that knows.
   */
  thumbnails: string | null;
  /** JSON: names of the checks that have to pass before a proposal is accepted; null if none have. */
  required_checks: string | null;
  /** Uploads up to this number belong to this revision or to none; later ones are for the next. */
  uploads_settled: Generated<number>;
  created_at: number;
  deleted_at: number | null;
}

/**
 * Revisions that have a name, each as its library's row was when it was named. Nothing that a release names is deleted
 * while the release exists. A row changes only if its index is rebuilt.
 */
export interface ReleasesTable extends RevisionColumns {
  store_id: string;
  name: string;
  notes: string | null;
  /** Id of the account that created it. */
  created_by: string;
  created_at: number;
}

/** The entries of signature logs. A row never changes, and is deleted only with its store. */
export interface SignaturesTable {
  store_id: string;
  /** From 0, without gaps. */
  entry: number;
  statement: string;
  signature: string;
}

/** The source that a library is imported from again and again. */
export interface WatchesTable {
  library_id: string;
  source: string;
  every: WatchSchedule;
  /** As whom it publishes; the account may be gone. */
  account_id: string;
  set_by: string;
  set_at: number;
  /** When it runs next; null if it is stopped. */
  due_at: number | null;
  /** How many runs failed since the last one that did not. */
  failures: number;
  problem: string | null;
  last_run_at: number | null;
  /** The JSON of the last result, as in the contract. */
  last_result: string | null;
  /** The run that is working on it, and until when others leave it alone. */
  holder: string | null;
  held_until: number;
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

/**
 * Revisions that a newer one replaced, or whose release was deleted. Their objects are kept until the grace period is
 * over, and for as long as they are history. A revision that is kept as its differences from the one that replaced it has
 * the object with these in place of both index and manifest, and its own in `described`.
 */
export interface RetiredRevisionsTable {
  store_id: string;
  revision: number;
  index_sha256: string;
  manifest_sha256: string;
  codes_sha256: string | null;
  artifacts_sha256: string | null;
  retired_at: number;
  /** The columns of the revision as JSON; null for revisions that were replaced before there was history. */
  described: string | null;
}

/**
 * Objects that are candidates for deletion. `pending`: no revision names the object, and a register that names it
 * deletes the row. `deleting`: its bytes are being removed and must not be relied on. `leased`: a client was told that
 * it is stored, so it does not become pending for a while. An object without a row is kept.
 */
export interface DoomedObjectsTable {
  store_id: string;
  sha256: string;
  state: 'leased' | 'pending' | 'deleting';
  /**
   * Since when no revision is known to name it, or when the lease was granted. Determines only when it can be deleted,
   * never whether.
   */
  since: number;
  /** Which deletion removes the bytes; null unless `deleting`. */
  deleter: string | null;
}

/** Stores whose library was purged and whose bytes are not all deleted yet. */
export interface DeadStoresTable {
  store_id: string;
}

/**
 * The usage of a library, including its releases, when it was last measured. Valid only while its revision and releases
 * are those that were measured.
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

export interface UploadTables {
  upload_receipts: UploadReceiptsTable;
  multipart_uploads: MultipartUploadsTable;
  direct_uploads: DirectUploadsTable;
  unregistered_bytes: UnregisteredBytesTable;
  damaged_objects: DamagedObjectsTable;
}

/** What was uploaded to which path since the last register, as the server itself measured it. */
export interface UploadReceiptsTable {
  store_id: string;
  path: string;
  sha256: string;
  size: number;
  /**
   * The number of the upload in its store. Only this number orders uploads: the clocks of processes differ, and jump.
   */
  number: number;
  /** Determines when the receipt expires. */
  received_at: number;
  /** The bytes that it adds to what is unregistered; null if nothing was sent for it, and for manifests. */
  counted: Generated<number | null>;
}

export interface MultipartUploadsTable {
  id: string;
  store_id: string;
  path: string;
  size: number;
  /** What the client announced; null if it announced nothing. */
  sha256: string | null;
  part_size: number;
  created_at: number;
  expires_at: number;
  /** The hash of the completed file; null until it is completed. */
  completed_sha256: string | null;
}

/** Uploads that clients were told to send directly to the bucket; kept for a day. */
export interface DirectUploadsTable {
  id: string;
  store_id: string;
  path: string;
  size: number;
  /** What the client announced; null if it announced nothing. */
  sha256: string | null;
  /** The number of the store's last upload when this one was announced. */
  number: number;
  created_at: number;
  /** 1 once it has a receipt. */
  arrived: Generated<number>;
}

/** What an account has uploaded to a store and not registered; never less than the actual amount. */
export interface UnregisteredBytesTable {
  account_id: string;
  store_id: string;
  bytes: number;
}

/** Objects whose bytes were found not to match the hash that names them, until they are replaced. */
export interface DamagedObjectsTable {
  store_id: string;
  sha256: string;
  found_at: number;
}

/** What a search engine is given, if there is one. */
export interface SearchTables {
  search_changes: SearchChangesTable;
  searched_libraries: SearchedLibrariesTable;
  search_index: SearchIndexTable;
}

/** Libraries to publish to the search engine, or to withdraw from it. */
export interface SearchChangesTable {
  library_id: string;
  /** Raised by every change, so that one that comes while another is published is not lost. */
  changes: number;
  queued_at: number;
}

/** What the search engine has of each library, once `search_index.sequence` is no lower. */
export interface SearchedLibrariesTable {
  library_id: string;
  /** The library in the engine. */
  number: number;
  /** The publication that brought this revision. */
  sequence: number;
  store_id: string;
  index_sha256: string;
  asset_count: number;
  /** The model and the version of the vectors; null if it has none. */
  vectors_model: string | null;
  vectors_version: string | null;
  /** JSON: see `WordIndex.sharedPhrases`. */
  shared_phrases: string;
}

/** The index in the search engine, and who feeds it. One row. */
export interface SearchIndexTable {
  id: string;
  /** Empty if it is to be created. */
  name: string;
  /** The version of what its documents are. */
  mapping: number;
  /** The last publication that is complete, which is all that searches see. */
  sequence: number;
  /** JSON of the publications that were begun and not completed. */
  unfinished: string;
  /** The server that publishes; empty if none does. */
  holder: string;
  held_until: number;
}
