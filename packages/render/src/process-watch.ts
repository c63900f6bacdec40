import { Worker } from 'node:worker_threads';

const WATCH = `
  const { ppid } = process;
  const most = Number(process.env.BINDERY_RENDER_MEMORY);
  setInterval(() => {
    if (process.memoryUsage.rss() > most || process.ppid !== ppid) process.kill(process.pid, 'SIGKILL');
  }, 50);
`;

/**
 * Ends this process when it outgrows its memory or its parent is gone, from a thread, for neither MuJoCo nor a long loop
 * lets go of the main one.
 */
export function endWithoutMemoryOrParent(): void {
  new Worker(WATCH, { eval: true }).unref();
}
