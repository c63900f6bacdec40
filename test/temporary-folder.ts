import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4 * 1024 ** 3;
const PREFIX = 'bindery-tests-';

/**
 * Gives the run its own temporary folder, which is removed at the end, in memory if there is enough: tests write and
 * sync thousands of small files, and what a power failure loses is tested by other means.
 */
export default function makeTemporaryFolder(): (() => void) | undefined {
  // Called for each project of the configuration.
  if (process.env.TMPDIR?.endsWith(`${PREFIX}${process.pid}`)) return undefined;
  const parent = hasRoom(IN_MEMORY) ? IN_MEMORY : tmpdir();
  for (const name of readdirSync(parent)) {
    if (name.startsWith(PREFIX) && !isRunning(Number(name.slice(PREFIX.length))))
      rmSync(join(parent, name), { recursive: true, force: true });
  }
  const folder = join(parent, `${PREFIX}${process.pid}`);
  // Accessible to other users: PostgreSQL runs as one.
  mkdirSync(folder, { mode: 0o755 });
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
