import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConflictError, isSystemError } from '../failures.ts';
import { hasEnded, OWNER } from '../tree/process-owner.ts';

/** Milliseconds after which a claim that nobody renews is void, and between two renewals. */
const VOID_AFTER = 600_000;
const RENEWED_EVERY = 60_000;

/** Folders that this process has claimed. */
const claimed = new Set<string>();

/** Keeps other imports away from the folder of a source. Throws `ConflictError` while another one runs. */
export function claimFolder(folder: string): Disposable {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'owner');
  if (claimed.has(folder) || isClaimed(file)) throw isRunning();
  rmSync(file, { force: true });
  try {
    writeFileSync(file, OWNER, { flag: 'wx' });
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) throw isRunning();
    throw error;
  }
  claimed.add(folder);
  const renewal = setInterval(() => utimesSync(file, new Date(), new Date()), RENEWED_EVERY).unref();
  return {
    [Symbol.dispose]() {
      clearInterval(renewal);
      claimed.delete(folder);
      rmSync(file, { force: true });
    },
  };
}

function isRunning(): ConflictError {
  return new ConflictError('Another import of this source is running; try again when it has finished.');
}

function isClaimed(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined || Date.now() - stats.mtimeMs > VOID_AFTER) return false;
  return !hasEnded(readFileSync(file, 'utf8'));
}
