import type { Database } from '../database/schema.ts';
import type { ObjectAddress, StoredObject } from '../objects/store.ts';

/** Where the content of a library is stored, according to the database. */
export interface StoredLibrary {
  /** `namespace/name`. */
  address: string;
  storeId: string;
  /** The current revision, those that have releases, and what open proposals make. */
  revisions: StoredRevision[];
}

/** Objects that no closure names: manifest, index, codes if there are vectors, and the list of platform artifacts if there are any. */
export interface StoredRevision {
  manifest: string;
  index: string;
  codes: string | null;
  artifacts: string | null;
}

/** The database as a backup sees it. */
export interface DatabaseDumper {
  /** The kind of database that can restore the dump. */
  format: DumpFormat;
  /**
   * Writes a consistent snapshot of everything into a new file, and returns the libraries in it. Throws `StartError` if
   * that is not possible.
   */
  dump(file: string): Promise<StoredLibrary[]>;
}

/**
 * The database as a restore sees it. Until `publish`, no service starts on what was restored, and a restore that was
 * interrupted can be repeated.
 */
export interface DatabaseRestorer {
  format: DumpFormat;
  /**
   * Removes what an interrupted restore has left, and keeps other restores out until `release`. Throws `StartError` if
   * the database holds anything else, or another restore is running.
   */
  prepare(): Promise<void>;
  /** Restores a dump and returns where it can be opened. Throws `StartError` if that is not possible. */
  restore(file: string): Promise<string>;
  /** Called in the last transaction on the restored database. */
  finish(trx: Database): Promise<void>;
  /** Called once everything is restored and the database is closed. */
  publish(): Promise<void>;
  /** Lets other restores in; called last, whether or not this one succeeded. */
  release(): Promise<void>;
}

export type DumpFormat = 'sqlite' | 'postgresql';

/** Where a backup is stored, except for its objects. An interrupted backup leaves the previous one intact. */
export interface BackupFolder {
  /** Creates the folder, private to this user. Throws `StartError` if it contains something else. */
  prepare(): Promise<void>;
  newDump(): Dump;
  deleteDump(dump: Dump): Promise<void>;
  /** Makes this dump the current backup, and deletes the dumps of earlier ones. */
  complete(dump: Dump, backup: BackupRecord): Promise<void>;
  /** Throws `StartError` if there is no complete backup. */
  describe(): Promise<BackupDescription>;
  /** Returns the path of a local file with the dump of the backup. Throws `StartError` if it is missing or damaged. */
  dumpOf(backup: BackupDescription): Promise<string>;
}

/** A dump of the database that is to become part of a backup. */
export interface Dump {
  name: string;
  /** A local path to write the dump to. */
  file: string;
}

export interface BackupRecord {
  createdAt: string;
  version: string;
  format: DumpFormat;
  libraries: number;
  objects: number;
  /** Null in backups by versions that did not record it. */
  contents: StoredLibrary[] | null;
}

/** The description that a complete backup contains. */
export interface BackupDescription extends Omit<BackupRecord, 'format'> {
  database: { format: DumpFormat; file: string; sha256: string };
}

/** The objects of a service, or those of a backup, in a folder or in a bucket. */
export interface ObjectFolder {
  /** Throws `ENOENT` if the object does not exist. Does not verify the content. */
  read(object: ObjectAddress): Promise<Buffer>;
  /** Like `read`, in chunks. */
  stream(object: ObjectAddress): AsyncIterable<Buffer>;
  /**
   * Stores an object durably, replacing an existing one, once all of its bytes have arrived and match the hash that
   * names it. Otherwise returns false and changes nothing.
   */
  put(object: ObjectAddress, content: AsyncIterable<Buffer>): Promise<boolean>;
  stores(): Promise<string[]>;
  list(storeId: string): AsyncIterable<StoredObject>;
  delete(object: ObjectAddress): Promise<void>;
  /** Deletes what calls of `put` have left that were interrupted with their process; no other call may be running. */
  deleteUnfinished(storeId: string): Promise<void>;
}
