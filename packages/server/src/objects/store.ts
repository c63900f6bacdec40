import type { Readable } from 'node:stream';

/**
 * The port to the store of bytes. Every library has a store of its own, named by a random `storeId`; inside it an
 * object is addressed by the lowercase hex SHA-256 of what it holds, never changes, and is whole and durable from
 * the moment it can be read at all.
 *
 * Uploads arrive in a staging area: verified while they stream in, not yet durable. `promote` makes them objects. A store
 * without a staging area makes an object of what it has verified at once, and `promote` finds it there. Either way no reader
 * sees it before a revision names it, because readers get URLs of what a revision names and of nothing else; and what no
 * revision names is reclaimed. Sizes are bytes.
 */
export interface ObjectStore {
  /** Whether verified uploads wait in a staging area until they are promoted. */
  readonly hasStaging: boolean;

  /** How the bytes of uploads are verified that the service does not see arrive; null where there are none. */
  readonly verification: Verification | null;

  /**
   * Resolves if the store can be reached: to null, or to why it takes no uploads now. Rejects with the reason if it
   * cannot, or if it is so full that the service itself is at risk.
   */
  check(): Promise<string | null>;

  /** The disk that objects are on, or null where it is not one of the service. */
  space(): Promise<DiskSpace | null>;

  /** Throws `storage_full` if there is no room for this many more bytes. */
  requireRoom(bytes: number): Promise<void>;

  /**
   * A presigned URL that serves one object as a download named `fileName`. Synchronous: no request is made. Where small objects
   * have other URLs than large ones, those of unknown size count as small.
   */
  presignGet(object: ObjectAddress & { size?: number }, fileName: string, ttlSeconds: number): string;

  /**
   * Whether clients send this file, or its parts, to where the service does not see it arrive: its URL is for a `DirectUpload`,
   * and `collect` tells whether it came.
   */
  takesDirectly(upload: AnnouncedUpload): boolean;

  /** A presigned URL that takes the bytes of one file. */
  presignPut(upload: AnnouncedUpload | DirectUpload, ttlSeconds: number): PresignedRequest;

  /**
   * What has arrived of uploads that the service did not see, verified and made objects; null in the place of one that has
   * not arrived, or as other bytes than were announced.
   */
  collect(uploads: readonly DirectUpload[]): Promise<(StoredObject | null)[]>;

  /** A presigned URL that takes one part of a multipart upload. */
  presignPart(upload: MultipartUpload, partNumber: number, ttlSeconds: number): PresignedRequest;

  /** Starts an upload in parts, which takes parts until it is completed or aborted. May be repeated. */
  beginMultipart(upload: MultipartUpload): Promise<void>;

  /** The parts of a multipart upload that have arrived completely. */
  storedParts(upload: MultipartUpload): Promise<StoredPart[]>;

  /**
   * Joins all parts into one upload in the staging area and returns its digest, which the store established from
   * the bytes; completing it again returns the same. Throws `upload_not_found`, `parts_missing` or, where size or
   * announced hash differ, `upload_mismatch`.
   */
  completeMultipart(upload: MultipartUpload): Promise<StoredObject>;

  /** Deletes a multipart upload with its parts and takes no more; does nothing if there is none. */
  abortMultipart(upload: MultipartUpload): Promise<void>;

  /** The size of an object, or null. */
  size(object: ObjectAddress): Promise<number | null>;

  /** The places of contents that are not stored as objects of exactly this size. Reads no contents. */
  absent(storeId: string, contents: Contents): Promise<number[]>;

  /** The hashes of objects whose bytes match their names. Reads all of them, off the event loop. */
  intact(storeId: string, objects: readonly StoredObject[]): Promise<Set<string>>;

  /**
   * The hashes of uploads that are staged with exactly these sizes. Renews their time in the staging area. Without a staging
   * area there are none.
   */
  staged(storeId: string, uploads: readonly StoredObject[]): Promise<Set<string>>;

  /**
   * Makes staged uploads durable objects. An upload atomically replaces an object of the same hash, which may be
   * damaged; readers of that object are undisturbed. Contents that are objects already and not staged are skipped.
   * Resolves to the hashes that were not found. May be repeated after a crash.
   */
  promote(storeId: string, uploads: Iterable<StoredObject>): Promise<string[]>;

  /** Stores bytes that the server produced (an index) as a durable object. */
  write(storeId: string, bytes: Uint8Array): Promise<StoredObject>;

  /** An empty local file that may become an object, for workers that write one in place. */
  draft(storeId: string): Promise<Draft>;

  /**
   * The whole object, in memory and verified. Rejects with `ENOENT` if it is missing, with `ObjectDamaged` if its
   * bytes do not match its hash.
   */
  read(object: ObjectAddress): Promise<Buffer>;

  /** The bytes from `start` up to and including `end`. */
  stream(object: ObjectAddress, range?: { start: number; end: number }): Readable;

  /** A local file that holds the object (or the staged upload), for workers that read it in place. */
  localFile(object: ObjectAddress): Promise<string>;

  /** Every object of a store, in any order. */
  list(storeId: string): AsyncIterable<ListedObject>;

  /**
   * Deletes objects in a way that can be taken back: they go out of sight, then `confirm` says which of them are still
   * to go, and these are deleted permanently. The others, or all where it throws, are put back, whole.
   */
  delete(storeId: string, hashes: readonly string[], confirm: ConfirmDeletion): Promise<Reclaimed>;

  /** Puts back what deletions that were interrupted left out of sight, unless `isDoomed` says that it is to go. */
  restoreInterrupted(isDoomed: (object: ObjectAddress) => Promise<boolean>): Promise<void>;

  /** Deletes uploads (files and parts) staged before `before` (milliseconds since 1970). */
  deleteAbandoned(before: number): Promise<Reclaimed>;

  /** Bytes of a store that are not objects yet: staged uploads and parts. */
  unregisteredBytes(storeId: string): Promise<number>;

  /** Deletes a whole store: objects, staged uploads, parts. */
  deleteStore(storeId: string): Promise<Reclaimed>;

  /** Releases what the store holds in this process; running operations fail. */
  close(): Promise<void>;
}

/**
 * What a store of somebody else verifies of bytes that are sent to it, the strongest first:
 *
 * - `signed-checksum`: `x-amz-checksum-sha256`, which it keeps with the object besides
 * - `signed-payload`: `x-amz-content-sha256`
 * - `header-signed`: the same, where the signature is in headers and not in the URL
 * - `read-back`: nothing. Uploads go to a key of their own, and the service reads them before anything relies on them.
 */
export type Verification = 'signed-checksum' | 'signed-payload' | 'header-signed' | 'read-back';

/** Bytes; `reserve` is what uploads leave free for the database. */
export interface DiskSpace {
  total: number;
  free: number;
  reserve: number;
}

export interface ObjectAddress {
  storeId: string;
  sha256: string;
}

/** Hashes and sizes of many contents, each at its place. */
export interface Contents {
  /** 32 bytes each. */
  hashes: Uint8Array;
  sizes: Float64Array;
}

export interface StoredObject {
  sha256: string;
  size: number;
}

export interface ListedObject extends StoredObject {
  /** When its bytes were stored, in milliseconds since 1970, by the clock of the store. */
  storedAt: number;
}

/** Those of some hashes that are still to be deleted. */
export type ConfirmDeletion = (hashes: readonly string[]) => Promise<ReadonlySet<string>>;

/** Deleted when disposed of, unless it was kept. */
export interface Draft extends AsyncDisposable {
  file: string;
  /** Makes the file a durable object named by its SHA-256, as its writer computed it. */
  keep(sha256: string): Promise<void>;
}

export interface Reclaimed {
  objects: number;
  bytes: number;
}

/** What a client announces to send to a path. */
export interface AnnouncedUpload {
  storeId: string;
  path: string;
  size: number;
  sha256: string | null;
  /** The account that the bytes count against until they are registered. */
  account?: string;
}

/** One that goes past the service. */
export interface DirectUpload extends AnnouncedUpload {
  uploadId: string;
}

export interface MultipartUpload extends AnnouncedUpload {
  uploadId: string;
  partSize: number;
}

export interface StoredPart {
  partNumber: number;
  size: number;
  etag: string;
}

export interface PresignedRequest {
  url: string;
  headers: Record<string, string>;
}

/** A staged upload: complete and verified. */
export interface ReceivedUpload {
  upload: AnnouncedUpload;
  stored: StoredObject;
}

/** What a store that receives bytes itself asks and tells the service. */
export interface UploadIntake {
  /**
   * Called before bytes are kept. Throws `upload_not_found` if the store no longer belongs to a library,
   * `storage_full` if an account has sent too much. Dispose of it once the bytes are recorded or dropped.
   */
  expect(uploads: readonly ExpectedBytes[]): Promise<Disposable>;

  /**
   * Called before senders are answered. Resolves to the stores that no longer belong to a library, whose bytes are
   * dropped.
   */
  received(received: readonly ReceivedUpload[]): Promise<ReadonlySet<string>>;

  partReceived(part: ExpectedBytes): Promise<void>;
}

export type ExpectedBytes = Pick<AnnouncedUpload, 'storeId' | 'account' | 'size'>;
