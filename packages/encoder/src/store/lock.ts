import { setTimeout as sleep } from 'node:timers/promises';

const BUSY = 5;
const LOOK_EVERY = 250;

/**
 * Acquires the lock, waiting while somebody else holds it, and returns a function that releases it. The lock is an
 * exclusive transaction on a dedicated SQLite file, so the operating system releases it however the process ends.
 * @param waiting called once if somebody else holds the lock
 */
export async function lock(
  file: string,
  { waiting, signal }: { waiting?: (() => void) | undefined; signal?: AbortSignal | undefined } = {},
): Promise<() => void> {
  for (let told = false; ; told = true) {
    const release = await tryLock(file);
    if (release !== null) return release;
    if (!told) waiting?.();
    await sleep(LOOK_EVERY, undefined, { signal });
  }
}

/** Acquires the lock, or returns null if somebody else holds it. */
export async function tryLock(file: string): Promise<(() => void) | null> {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('begin exclusive');
    return () => database.close();
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === BUSY) return null;
    throw error;
  }
}
