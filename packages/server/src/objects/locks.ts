/**
 * The port that serialises changes of a store: a register, a purge and the deletions of a reclaim each hold the store
 * exclusively, across all replicas, so that none works in vain. Reads and uploads need no lock. A lock may be lost
 * without a word, where the network is cut or a process is stopped for a while: nothing may rely on it, and what must
 * not happen twice or at once is decided in the transactions of the database.
 */
export interface StoreLocks {
  /**
   * Runs `work` once nobody else holds the store, in the order of calls. Throws `unavailable` if too many are
   * waiting or the wait takes too long.
   */
  hold<Result>(storeId: string, work: () => Promise<Result>): Promise<Result>;

  close(): Promise<void>;
}
