import type { ObjectAddress } from '../objects/store.ts';
import type { StoredLibrary } from './stored-library.ts';

/** The database as a backup sees it. */
export interface DumpedDatabase {
  /** What can restore it. */
  format: DumpFormat;
  /**
   * Writes everything, as it is at one moment, into a new file, and answers what libraries there were at that moment.
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
  remove(object: ObjectAddress): Promise<void>;
  /** Where an object's file is, or would be. */
  fileOf(object: ObjectAddress): string;
}
