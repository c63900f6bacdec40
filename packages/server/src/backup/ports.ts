import type { ObjectAddress } from '../objects/store.ts';
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

/** Where a backup is kept. A backup that was cut short leaves the one before as it was. */
export interface BackupFolder {
  /** Makes the folder, private to this user. Throws `StartError` where it holds something else. */
  prepare(): Promise<void>;
  newDump(): Dump;
  deleteDump(dump: Dump): Promise<void>;
  /** From here on this is the backup; dumps of earlier ones are deleted. */
  conclude(dump: Dump, backup: BackedUp): Promise<void>;
  /** Throws `StartError` where there is no whole backup. */
  describe(): Promise<BackupDescription>;
  /** The dump of a backup. */
  fileOf(backup: BackupDescription): string;
}

/** A dump of the database that is to be part of a backup. */
export interface Dump {
  name: string;
  file: string;
}

export interface BackedUp {
  createdAt: string;
  version: string;
  format: DumpFormat;
  libraries: number;
  objects: number;
}

/** What a whole backup says about itself. */
export interface BackupDescription extends Omit<BackedUp, 'format'> {
  database: { format: DumpFormat; file: string; sha256: string };
}

/** What became of an object that was to be copied. */
export type CopyOutcome = 'copied' | 'there already' | 'missing' | 'damaged';

/** The objects of a service, and those of a backup. */
export interface ObjectFolder {
  /** The bytes of a small object that was copied. */
  read(object: ObjectAddress): Promise<Buffer>;
  /** Puts an object of another folder here, durable, once its bytes have the hash that names them. */
  copyFrom(other: ObjectFolder, object: ObjectAddress): Promise<{ outcome: CopyOutcome; bytes: number }>;
  stores(): Promise<string[]>;
  list(storeId: string): AsyncIterable<ObjectAddress>;
  delete(object: ObjectAddress): Promise<void>;
  /** Where an object's file is, or would be. */
  fileOf(object: ObjectAddress): string;
}
