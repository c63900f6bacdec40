import { hash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isSystemError } from '../failures.ts';

/** Matches the owners in file names, as `OWNER` is one. */
export const OWNER_PATTERN = '[0-9a-f]{8}-\\d+';

/**
 * Names this process in the names of files that it is writing: where its id is valid, and the id. Containers and hosts
 * that share a file system have the same ids for different processes.
 */
export const OWNER = `${place()}-${process.pid}`;

/** Whether a process is running where ids are valid as they are here. */
export function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isSystemError(error, 'EPERM');
  }
}

/** Whether the process that owned a file has certainly ended. One with the id of this process has. */
export function hasEnded(owner: string): boolean {
  const [where, pid] = owner.split('-');
  if (where !== OWNER.split('-')[0]) return false;
  return owner === OWNER || !isProcessRunning(Number(pid));
}

/** Returns what is the same for two processes only if they cannot have the same id: machine, boot and PID namespace. */
function place(): string {
  const parts = [
    hostname(),
    orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    orEmpty(() => readlinkSync('/proc/self/ns/pid')),
  ];
  return hash('sha256', parts.join('\n')).slice(0, 8);
}

function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
