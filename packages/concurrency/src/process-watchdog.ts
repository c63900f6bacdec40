import { Worker } from 'node:worker_threads';

const WATCHDOG_SOURCE = `
  const { ppid } = process;
  const { workerData: maxBytes } = require('node:worker_threads');
  setInterval(() => {
    if (process.memoryUsage.rss() > maxBytes || process.ppid !== ppid) process.kill(process.pid, 'SIGKILL');
  }, 50);
`;

/**
 * Kills this process when it exceeds its memory limit (bytes) or its parent has exited. Checks this on a thread, since
 * native code and long loops block the main one.
 */
export function killOnMemoryLimitOrOrphaned(maxBytes: number): void {
  new Worker(WATCHDOG_SOURCE, { eval: true, workerData: maxBytes }).unref();
}
