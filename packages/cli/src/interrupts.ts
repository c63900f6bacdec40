/** Milliseconds. Ctrl-C reaches a program run by the launcher twice: from the terminal and from the launcher. */
const DUPLICATE_SIGNAL_MS = 300;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Aborts the signal on Ctrl-C, when the terminal is closed, and on SIGTERM; the second time it calls `giveUp`. */
export function watchInterrupts(giveUp: () => void): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  let first = 0;
  function interrupt(): void {
    if (!controller.signal.aborted) {
      first = Date.now();
      controller.abort(new DOMException('Interrupted.', 'AbortError'));
    } else if (Date.now() - first > DUPLICATE_SIGNAL_MS) {
      giveUp();
    }
  }
  for (const name of SIGNALS) process.on(name, interrupt);
  return {
    signal: controller.signal,
    stop: () => {
      for (const name of SIGNALS) process.off(name, interrupt);
    },
  };
}
