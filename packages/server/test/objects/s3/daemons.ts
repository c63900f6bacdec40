import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

const READY_WITHIN_MS = 240_000;

/** Asks again and again; a failure counts as no. Throws after four minutes. */
export async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + READY_WITHIN_MS;
  while (!(await isTrue().catch(() => false))) {
    if (performance.now() > end) throw new Error(`waited in vain until ${what}`);
    await sleep(100);
  }
}

/** Ends a process that leaves nothing worth keeping. */
export async function end(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const ended = new Promise((resolve) => process.once('exit', resolve));
  process.kill('SIGKILL');
  await ended;
}
