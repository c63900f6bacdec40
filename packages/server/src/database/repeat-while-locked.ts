import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds after which a lock that is not to be had is an error, and the most between two attempts. */
const TIMEOUT = 120_000;
const MAX_PAUSE = 500;

/** What PostgreSQL says where a lock was waited for too long, or by two in a circle. */
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

/** Does a piece of work anew as long as others hold what it wants to lock; it has changed nothing then. */
export async function repeatWhileLocked<Result>(work: () => Promise<Result>): Promise<Result> {
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
