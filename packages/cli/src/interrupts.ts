import { constants } from 'node:os';

/** Ctrl-C, a closed terminal and a polite kill abort the signal; the second one ends the process at once. */
export function watchInterrupts(): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const listeners = names.map((name) => {
    const listener = () => {
      if (controller.signal.aborted) process.exit(128 + constants.signals[name]);
      controller.abort(new DOMException('Interrupted.', 'AbortError'));
    };
    process.on(name, listener);
    return { name, listener };
  });
  return {
    signal: controller.signal,
    stop: () => {
      for (const { name, listener } of listeners) process.off(name, listener);
    },
  };
}
