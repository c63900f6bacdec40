import type { RevisionRow } from '../../access/revision-row.ts';
import type { StoredObject } from '../../objects/store.ts';

/** Says which objects of a store still match their hashes. */
export interface ContentChecker {
  /**
   * The hashes of those objects that are missing, have another size or are known to be damaged. It is cheap, and finds
   * no new damage.
   */
  knownLost(storeId: string, objects: readonly StoredObject[]): Promise<Set<string>>;

  /**
   * As `knownLost`, and reads every object, off the event loop. Damage is recorded. Throws `unavailable` where there is
   * more to read than a request may wait for: reading goes on, and whoever asks again finds it done.
   */
  lost(storeId: string, objects: readonly StoredObject[]): Promise<Set<string>>;

  /** Whether an object is damaged. It is read now, or was a few minutes ago. Throws as `lost` does. */
  isDamaged(storeId: string, object: StoredObject): Promise<boolean>;
}

/** Rebuilds indexes that were found damaged or missing. */
export interface IndexRepair {
  /**
   * Repairs a library, or a release of it, whose index could not be read and returns its row, which may have another index
   * now. Throws `content_lost` if the manifest is lost too, `unavailable` if it takes too long, `not_found` if it is gone.
   */
  mend(library: RevisionRow): Promise<RevisionRow>;

  /**
   * Rebuilds the index of a library that was registered before indexes had all that they have now; else as `mend`. A row
   * whose index has it already comes back as it is in the database.
   */
  renew(library: RevisionRow): Promise<RevisionRow>;
}
