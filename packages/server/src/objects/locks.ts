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
