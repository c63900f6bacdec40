import type { Readable } from 'node:stream';

/**
 * The port to the store of bytes. Every library has a store of its own, named by a random `storeId`; inside it an
 * object is addressed by the lowercase hex SHA-256 of what it holds, never changes, and is whole and durable from
 * the moment it can be read at all.
 *
 * Uploads arrive in a staging area: verified while they stream in, not yet durable, invisible to every reader.
 * `promote` makes them objects. Sizes are bytes.
 */
export interface ObjectStore {
  /**
   * Resolves when the store can be reached: to null, or to why it takes no uploads just now. Rejects with the reason where
   * it cannot, and where it is so full that the service itself is in danger.
   */
  check(): Promise<string | null>;

  /** Throws `storage_full` where there is no room for so many bytes more. */
  requireRoom(bytes: number): Promise<void>;

  /** A presigned URL that serves one object as a download named `fileName`. Synchronous: no request is made. */
  presignGet(object: ObjectAddress, fileName: string, ttlSeconds: number): string;

  /** A presigned URL that takes the bytes of one file. */
  presignPut(upload: AnnouncedUpload, ttlSeconds: number): PresignedRequest;

  /** A presigned URL that takes one part of a multipart upload. */
  presignPart(upload: MultipartUpload, partNumber: number, ttlSeconds: number): PresignedRequest;

  /** From here on the upload takes parts, until it is completed or aborted. May be repeated. */
  beginMultipart(upload: MultipartUpload): Promise<void>;

  /** The parts of a multipart upload that have arrived whole. */
  storedParts(upload: MultipartUpload): Promise<StoredPart[]>;

  /**
   * Joins all parts into one upload in the staging area and returns its digest, which the store established from
   * the bytes; completing it again returns the same. Throws `upload_not_found`, `parts_missing` or, where size or
   * announced hash differ, `upload_mismatch`.
   */
  completeMultipart(upload: MultipartUpload): Promise<StoredObject>;

  /** Deletes a multipart upload with its parts, and takes no more; does nothing where there is none. */
  abortMultipart(upload: MultipartUpload): Promise<void>;

  /** The size of an object, or null. */
  size(object: ObjectAddress): Promise<number | null>;

  /** The places of those that are no objects with exactly these sizes. Reads nothing of what they hold. */
  absent(storeId: string, contents: Contents): Promise<number[]>;

  /** The hashes of those objects that hold the bytes that they are named for. Reads all of them, off the event loop. */
  intact(storeId: string, objects: readonly StoredObject[]): Promise<Set<string>>;

  /** Those of the given uploads that are staged with exactly these sizes; their time there starts anew. */
  staged(storeId: string, uploads: readonly StoredObject[]): Promise<Set<string>>;

  /**
   * Makes staged uploads objects: whole, durable, addressed by what they hold. An upload takes the place of an object of
   * its hash, which may be damaged, in one step; who reads that goes on undisturbed. What is an object already and does not
   * wait is passed over. Resolves to the hashes that could not be found. May run again after a crash.
   */
  promote(storeId: string, uploads: Iterable<StoredObject>): Promise<string[]>;

  /** Stores bytes that the server made itself (an index) as a durable object. */
  write(storeId: string, bytes: Uint8Array): Promise<StoredObject>;

  /** An empty file on this machine that may become an object, for workers that make one in place. */
  draft(storeId: string): Promise<Draft>;

  /**
   * The whole object, in memory and verified: rejects with `ENOENT` where it is missing, with `ObjectDamaged` where its
   * bytes are not those that it is named for.
   */
  read(object: ObjectAddress): Promise<Buffer>;

  /** The bytes from `start` up to and including `end`. */
  stream(object: ObjectAddress, range?: { start: number; end: number }): Readable;

  /** A file on this machine that holds the object (or the staged upload), for workers that read it in place. */
  localFile(object: ObjectAddress): Promise<string>;

  /** Every object of a store with its size, in no order. */
  list(storeId: string): AsyncIterable<StoredObject>;

  /** Deletes objects for good. */
  delete(storeId: string, hashes: readonly string[]): Promise<Reclaimed>;

  /** Deletes uploads (whole files and parts) that have waited since before `before` (milliseconds since 1970). */
  deleteAbandoned(before: number): Promise<Reclaimed>;

  /** Bytes of a store that came in and are no objects: staged uploads and parts. */
  unregisteredBytes(storeId: string): Promise<number>;

  /** Deletes a whole store: objects, staged uploads, parts. */
  deleteStore(storeId: string): Promise<Reclaimed>;

  /** Lets go of what the store holds in this process; what runs fails. */
  close(): Promise<void>;
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

/** Disposed of, it is gone unless it was kept. */
export interface Draft extends AsyncDisposable {
  file: string;
  /** Makes the file a durable object, named by the SHA-256 that whoever wrote it found. */
  keep(sha256: string): Promise<void>;
}

export interface Reclaimed {
  objects: number;
  bytes: number;
}

/** What a client says it is going to send to a path. */
export interface AnnouncedUpload {
  storeId: string;
  path: string;
  size: number;
  sha256: string | null;
  /** Who answers for the bytes until they are registered. */
  account?: string;
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

/** An upload that waits, whole and verified. */
export interface ReceivedUpload {
  upload: AnnouncedUpload;
  stored: StoredObject;
}

/** What a store that receives bytes itself asks of the service, and tells it. */
export interface UploadIntake {
  /**
   * Before bytes are kept. Throws `upload_not_found` where a store is no library's any more, `storage_full` where an account
   * has sent too much. Disposed of once the bytes are told of or given up.
   */
  expect(uploads: readonly ExpectedBytes[]): Promise<Disposable>;

  /** Before senders get an answer. Resolves to those stores that are no library's any more: what came there is not kept. */
  received(received: readonly ReceivedUpload[]): Promise<ReadonlySet<string>>;

  partReceived(part: ExpectedBytes): Promise<void>;
}

export type ExpectedBytes = Pick<AnnouncedUpload, 'storeId' | 'account' | 'size'>;
