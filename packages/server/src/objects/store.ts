import type { Readable } from 'node:stream';
import type { Contents } from '../revision/file-closure.ts';

/**
 * The port to the object store. Every library has its own store, named by a random `storeId`. In it, an object is
 * addressed by the lowercase hex SHA-256 of its content, never changes, and is complete and durable from the moment it
 * can be read.
 *
 * Uploads arrive in a staging area: verified while they stream in, not yet durable. `promote` makes them objects. A
 * store without a staging area makes an object of verified bytes immediately, and `promote` finds it there. Either way
 * no reader sees it before a revision names it, because readers get URLs only of what a revision names; objects that no
 * revision names are reclaimed. Sizes are bytes.
 */
export interface ObjectStore {
  /** Whether verified uploads wait in a staging area until they are promoted. */
  readonly hasStaging: boolean;

  /** How uploads that bypass the service are verified; null if there are none. */
  readonly verification: Verification | null;

  /**
   * Resolves if the store can be reached: to null, or to why it accepts no uploads at the moment. Rejects with the
   * reason if it cannot, or if it is so full that the service itself is at risk.
   */
  check(): Promise<string | null>;

  /** The space on the disk that stores the objects, or null if it is not a disk of the service. */
  space(): Promise<DiskSpace | null>;

  /** Throws `storage_full` if there is no space for this many more bytes. */
  requireRoom(bytes: number): Promise<void>;

  /**
   * Returns a presigned URL that serves one object as a download named `fileName`. Synchronous: no request is made. If
   * small and large objects have different URLs, those of unknown size count as small.
   */
  presignGet(object: ObjectAddress & { size?: number }, fileName: string, ttlSeconds: number): string;

  /**
   * Whether clients send this file, or its parts, past the service: its URL is then for a `DirectUpload`, and
   * `collectDirectUploads` reports whether it arrived.
   */
  acceptsDirectUpload(upload: AnnouncedUpload): boolean;

  /** Returns a presigned URL that accepts the bytes of one file. */
  presignPut(upload: AnnouncedUpload | DirectUpload, ttlSeconds: number): PresignedRequest;

  /**
   * Verifies those uploads that bypassed the service and have arrived, and makes them objects. Null in the place of an
   * upload that has not arrived, or whose bytes are not those announced.
   */
  collectDirectUploads(uploads: readonly DirectUpload[]): Promise<(StoredObject | null)[]>;

  /** Returns a presigned URL that accepts one part of a multipart upload. */
  presignPart(upload: MultipartUpload, partNumber: number, ttlSeconds: number): PresignedRequest;

  /** Starts a multipart upload, which accepts parts until it is completed or aborted. Can be repeated. */
  beginMultipart(upload: MultipartUpload): Promise<void>;

  /** Returns the parts of a multipart upload that have arrived completely. */
  storedParts(upload: MultipartUpload): Promise<StoredPart[]>;

  /**
   * Joins all parts into one upload in the staging area and returns its digest, which the store computed from the
   * bytes; completing it again returns the same. Throws `upload_not_found`, `parts_missing`, or `upload_mismatch` if
   * the size or the announced hash differs.
   */
  completeMultipart(upload: MultipartUpload): Promise<StoredObject>;

  /** Deletes a multipart upload with its parts and accepts no more; does nothing if there is none. */
  abortMultipart(upload: MultipartUpload): Promise<void>;

  /** Returns the size of an object, or null if there is none. */
  size(object: ObjectAddress): Promise<number | null>;

  /** Returns the positions of contents that are not stored as objects of exactly this size. Reads no objects. */
  findAbsent(storeId: string, contents: Contents): Promise<number[]>;

  /** Returns the hashes of objects whose bytes match them. Reads all of them, off the event loop. */
  findIntact(storeId: string, objects: readonly StoredObject[]): Promise<Set<string>>;

  /**
   * Returns the hashes of uploads that are staged with exactly these sizes; none without a staging area. Renews their
   * time in the staging area.
   */
  findStaged(storeId: string, uploads: readonly StoredObject[]): Promise<Set<string>>;

  /**
   * Makes staged uploads durable objects. An upload atomically replaces an object of the same hash, which may be
   * damaged; readers of that object are not disturbed. Contents that are objects already and not staged are skipped.
   * Resolves to the hashes that were not found. Can be repeated after a crash.
   */
  promote(storeId: string, uploads: Iterable<StoredObject>): Promise<string[]>;

  /** Stores bytes that the server produced (an index) as a durable object. */
  write(storeId: string, bytes: Uint8Array): Promise<StoredObject>;

  /** Creates an empty local file that can become an object, for workers that write one in place. */
  createDraft(storeId: string): Promise<Draft>;

  /**
   * Reads the whole object into memory, verified. Rejects with `ENOENT` if it is missing, with `ObjectDamaged` if its
   * bytes do not match its hash.
   */
  read(object: ObjectAddress): Promise<Buffer>;

  /** Streams the bytes from `start` up to and including `end`. */
  stream(object: ObjectAddress, range?: { start: number; end: number }): Readable;

  /**
   * Returns the path of a local file that holds the object (or the staged upload), for workers that read it in place.
   */
  localFile(object: ObjectAddress): Promise<string>;

  /** Lists every object of a store, in any order. */
  list(storeId: string): AsyncIterable<ListedObject>;

  /**
   * Deletes objects reversibly: hides them, then permanently deletes those that `confirm` returns. The others, or all
   * if it throws, are restored intact.
   */
  delete(storeId: string, hashes: readonly string[], confirm: ConfirmDeletion): Promise<Reclaimed>;

  /** Restores objects that interrupted deletions left hidden, unless `isDoomed` returns true for them. */
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
 * What an external store verifies about bytes that are sent to it, the strongest first:
 *
 * - `signed-checksum`: `x-amz-checksum-sha256`, which it also stores with the object
 * - `signed-payload`: `x-amz-content-sha256`
 * - `header-signed`: the same, but only if the signature is in headers, not in the URL
 * - `read-back`: nothing. Uploads go to a separate key, and the service reads them before anything relies on them.
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

export interface StoredObject {
  sha256: string;
  size: number;
}

export interface ListedObject extends StoredObject {
  /** When its bytes were stored, in milliseconds since 1970, by the clock of the store. */
  storedAt: number;
}

/** Returns which of the hashes are still to be deleted. */
export type ConfirmDeletion = (hashes: readonly string[]) => Promise<ReadonlySet<string>>;

/** Deleted when disposed of, unless it was kept. */
export interface Draft extends AsyncDisposable {
  file: string;
  /** Makes the file a durable object named by its SHA-256, which its writer has computed. */
  commit(sha256: string): Promise<void>;
}

export interface Reclaimed {
  objects: number;
  bytes: number;
}

/** A file that a client has announced for a path. */
export interface AnnouncedUpload {
  storeId: string;
  path: string;
  size: number;
  sha256: string | null;
  /** The account that the bytes count against until they are registered. */
  account?: string;
}

/** An upload that bypasses the service. */
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

/** What a store that receives bytes itself asks and reports to the service. */
export interface UploadIntake {
  /**
   * Called before bytes are stored. Throws `upload_not_found` if the store no longer belongs to a library,
   * `storage_full` if an account has sent too much. Dispose of it once the bytes are recorded or dropped.
   */
  reserve(uploads: readonly ExpectedBytes[]): Promise<Disposable>;

  /**
   * Called before senders get a response. Resolves to the stores that no longer belong to a library, whose bytes are
   * dropped.
   */
  received(received: readonly ReceivedUpload[]): Promise<ReadonlySet<string>>;

  partReceived(part: ExpectedBytes): Promise<void>;
}

export type ExpectedBytes = Pick<AnnouncedUpload, 'storeId' | 'account' | 'size'>;

const HASH_BYTES = 32;

export function contentsOf(objects: readonly StoredObject[]): Contents {
  const hashes = Buffer.allocUnsafe(objects.length * HASH_BYTES);
  for (const [at, { sha256 }] of objects.entries()) hashes.write(sha256, at * HASH_BYTES, 'hex');
  return { hashes, sizes: Float64Array.from(objects, ({ size }) => size) };
}

/**
 * The port that serialises changes to a store: a register, a purge and the deletions of a reclaim each hold the store
 * exclusively, across all replicas, so that none does work for nothing. Reads and uploads need no lock. A lock can be
 * lost silently if the network fails or a process is stopped for a while, so nothing must rely on it: whatever must not
 * happen twice or concurrently is decided in database transactions.
 */
export interface StoreLocks {
  /**
   * Runs `work` once nobody else holds the store, in the order of calls. Throws `unavailable` if too many are
   * waiting or the wait takes too long.
   */
  withLock<Result>(storeId: string, work: () => Promise<Result>): Promise<Result>;

  close(): Promise<void>;
}
