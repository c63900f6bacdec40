import type { Generated } from 'kysely';

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
