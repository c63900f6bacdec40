import type { Logger } from 'pino';

/**
 * Runs work periodically, never concurrently; failures are logged, and the next run retries. `every` is
 * milliseconds. `stop` resolves once running work has ended.
 */
export function repeat(
  { every, name, log }: { every: number; name: string; log: Logger },
  work: (isStopped: () => boolean) => Promise<void>,
): { stop(): Promise<void> } {
  let stopped = false;
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= work(() => stopped)
      .catch((error: unknown) => log.error({ err: error }, `${name} failed`))
      .finally(() => {
        running = undefined;
      });
  }, every);
  timer.unref();
  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
