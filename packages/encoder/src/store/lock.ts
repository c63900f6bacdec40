import { setTimeout as sleep } from 'node:timers/promises';

const BUSY = 5;
const LOOK_EVERY = 250;

/**
 * Waits until nobody else holds the lock, and takes it. The operating system drops it with the process, however that
 * ends: it is an exclusive transaction on an SQLite file of its own.
 * @param waiting told once if somebody else holds it
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

/** Takes the lock, or answers null where somebody else holds it. */
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
