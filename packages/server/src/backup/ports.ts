import type { ObjectAddress, StoredObject } from '../objects/store.ts';
import type { StoredLibrary } from './stored-library.ts';

/** The database as a backup sees it. */
export interface DumpedDatabase {
  /** What can restore it. */
  format: DumpFormat;
  /**
   * Writes everything, as it is at one moment, into a new file, and returns what libraries there were at that moment.
   * Throws `StartError` where that cannot be done.
   */
  dump(file: string): Promise<StoredLibrary[]>;
}

/** The database as a restore sees it. */
export interface RestoredDatabase {
  format: DumpFormat;
  /** Throws `StartError` where the database holds something already. */
  requireEmpty(): Promise<void>;
  /** Throws `StartError` where it cannot be done. */
  restore(file: string): Promise<void>;
}

export type DumpFormat = 'sqlite' | 'postgresql';

/** Where a backup is kept, but for its objects. A backup that was cut short leaves the one before as it was. */
export interface BackupFolder {
  /** Makes the folder, private to this user. Throws `StartError` where it holds something else. */
  prepare(): Promise<void>;
  newDump(): Dump;
  deleteDump(dump: Dump): Promise<void>;
  /** From here on this is the backup; dumps of earlier ones are deleted. */
  conclude(dump: Dump, backup: BackedUp): Promise<void>;
  /** Throws `StartError` where there is no whole backup. */
  describe(): Promise<BackupDescription>;
  /** A local file with the dump of the backup. Throws `StartError` where it is missing or damaged. */
  dumpOf(backup: BackupDescription): Promise<string>;
}

/** A dump of the database that is to be part of a backup. */
export interface Dump {
  name: string;
  /** Local, and to be filled. */
  file: string;
}

export interface BackedUp {
  createdAt: string;
  version: string;
  format: DumpFormat;
  libraries: number;
  objects: number;
  /** Null in backups of versions that did not write it. */
  contents: StoredLibrary[] | null;
}

/** What a whole backup says about itself. */
export interface BackupDescription extends Omit<BackedUp, 'format'> {
  database: { format: DumpFormat; file: string; sha256: string };
}

/** The objects of a service, or those of a backup, in a folder or in a bucket. */
export interface ObjectFolder {
  /** Throws `ENOENT` where there is none. Nothing is verified. */
  read(object: ObjectAddress): Promise<Buffer>;
  /** As `read`, a piece at a time. */
  stream(object: ObjectAddress): AsyncIterable<Buffer>;
  /**
   * Puts an object here, durable and in the place of what is there, once all of its bytes have come and have the hash that
   * names them. Otherwise it answers false, and nothing has changed.
   */
  put(object: ObjectAddress, content: AsyncIterable<Buffer>): Promise<boolean>;
  stores(): Promise<string[]>;
  list(storeId: string): AsyncIterable<StoredObject>;
  delete(object: ObjectAddress): Promise<void>;
}
