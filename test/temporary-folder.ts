import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4 * 1024 ** 3;
const PREFIX = 'bindery-tests-';

/**
 * Gives the whole run a temporary folder of its own that is gone at the end, in memory where there is room: tests
 * write and flush thousands of small files, and what is lost with the power they test by other means.
 */
export default function makeTemporaryFolder(): (() => void) | undefined {
  // Each project of the configuration asks.
  if (process.env.TMPDIR?.endsWith(`${PREFIX}${process.pid}`)) return undefined;
  const parent = hasRoom(IN_MEMORY) ? IN_MEMORY : tmpdir();
  for (const name of readdirSync(parent)) {
    if (name.startsWith(PREFIX) && !isRunning(Number(name.slice(PREFIX.length))))
      rmSync(join(parent, name), { recursive: true, force: true });
  }
  const folder = join(parent, `${PREFIX}${process.pid}`);
  // Other users pass through: PostgreSQL runs as one.
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
