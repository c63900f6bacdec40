import { setTimeout as sleep } from 'node:timers/promises';

/** How long to wait for a lock, and the longest pause between two attempts, in milliseconds. */
const TIMEOUT = 120_000;
const MAX_PAUSE = 500;

/** PostgreSQL's SQLSTATEs for a lock timeout and for a deadlock. */
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

/**
 * Repeats `work` as long as others hold locks that it needs; an attempt that fails for that reason has changed nothing.
 */
export async function retryWhileLocked<Result>(work: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + TIMEOUT;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const { code } = error as { code?: string };
      const isLocked = code === LOCK_NOT_AVAILABLE || code === DEADLOCK;
      if (!isLocked || performance.now() > deadline) throw error;
    }
    await sleep(MAX_PAUSE * Math.random());
  }
}
