import { Worker } from 'node:worker_threads';

const WATCH = `
  const { ppid } = process;
  const { workerData: maxBytes } = require('node:worker_threads');
  setInterval(() => {
    if (process.memoryUsage.rss() > maxBytes || process.ppid !== ppid) process.kill(process.pid, 'SIGKILL');
  }, 50);
`;

/**
 * Ends this process when it outgrows its memory (bytes) or its parent is gone: from a thread, for neither native code nor
 * a long loop lets go of the main one.
 */
export function endWithoutMemoryOrParent(maxBytes: number): void {
  new Worker(WATCH, { eval: true, workerData: maxBytes }).unref();
}
