/**
 * The port that keeps changes of one store apart: a register, a purge and a pass of reclaim each hold the store alone,
 * over all replicas. Reads and uploads need no lock.
 */
export interface StoreLocks {
  /**
   * Runs `work` once nobody else holds the store; waiters come in the order in which they asked. Throws `unavailable`
   * where too many wait already, or after too long a wait.
   */
  hold<Result>(storeId: string, work: (lock: StoreLock) => Promise<Result>): Promise<Result>;

  close(): Promise<void>;
}

export interface StoreLock {
  /** Throws `unavailable` where the lock was lost while it was held. Ask before a change that relies on it. */
  assertHeld(): void;
}
