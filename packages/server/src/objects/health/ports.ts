import type { IndexedRow, RevisionRow } from '../../access/libraries.ts';
import type { StoredObject } from '../store.ts';

/** Checks which objects of a store still match their hashes. */
export interface ContentChecker {
  /**
   * Returns the hashes of objects that are missing, have another size or are known to be damaged. Cheap, but finds no
   * new damage.
   */
  findKnownLost(storeId: string, objects: readonly StoredObject[]): Promise<Set<string>>;

  /**
   * As `findKnownLost`, but reads every object, off the event loop, and records damage. Throws `unavailable` if reading
   * takes longer than a request may wait; it continues in the background, and a retry gets the result.
   */
  findLost(storeId: string, objects: readonly StoredObject[]): Promise<Set<string>>;

  /** Whether an object is damaged. Reads it unless it was found intact minutes ago. Throws as `findLost` does. */
  isDamaged(storeId: string, object: StoredObject): Promise<boolean>;
}

/** Rebuilds indexes that were found damaged or missing. */
export interface IndexRepair {
  /**
   * Rebuilds the index of a library or release whose index could not be read, or makes manifest and index of a revision
   * that is kept as differences. Returns its row, which may refer to another index. Throws `content_lost` if the manifest is lost too, `unavailable` if it takes too long, `not_found`
   * if the library or release no longer exists.
   */
  repair(library: IndexedRow): Promise<RevisionRow>;

  /**
   * Rebuilds an index that lacks what searches by relevance need because it was built before indexes had it. If the
   * index has all of it, returns the row from the database. Otherwise as `repair`.
   */
  upgrade(library: RevisionRow): Promise<RevisionRow>;
}
