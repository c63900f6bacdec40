/**
 * The port that serialises changes of a store: a register, a purge and a reclaim pass each hold the store
 * exclusively, across all replicas. Reads and uploads need no lock.
 */
export interface StoreLocks {
  /**
   * Runs `work` once nobody else holds the store, in the order of calls. Throws `unavailable` if too many are
   * waiting or the wait takes too long.
   */
  hold<Result>(storeId: string, work: (lock: StoreLock) => Promise<Result>): Promise<Result>;

  close(): Promise<void>;
}

export interface StoreLock {
  /** Throws `unavailable` if the lock was lost. Call it before a change that relies on the lock. */
  assertHeld(): void;
}
