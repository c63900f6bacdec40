/** The progress of long-running work. */
export interface WorkProgress {
  advance(step: { bytes?: number; items?: number }): void;
  finish(summary?: string): void;
  stop(): void;
}

/** The total amount of work, and what its items are. */
export interface WorkTotal {
  bytes: number;
  items: number;
  unit: 'files' | 'assets' | 'robots' | 'images and texts';
}

/** Notified when long-running work starts. */
export interface ProgressListener {
  start(label: string, total: WorkTotal): WorkProgress;
}

export const NO_PROGRESS: ProgressListener = {
  start: () => ({ advance() {}, finish() {}, stop() {} }),
};

/** Shows the progress of `run` while it lasts; it has finished only if `run` does not throw. */
export async function withProgress<T>(
  progress: ProgressListener | undefined,
  label: string,
  total: WorkTotal,
  run: (work: WorkProgress) => Promise<T>,
): Promise<T> {
  const work = (progress ?? NO_PROGRESS).start(label, total);
  try {
    const result = await run(work);
    work.finish();
    return result;
  } finally {
    work.stop();
  }
}

/** The total of work on whole files. */
export function fileTotal(files: readonly { size: number }[]): WorkTotal {
  return { bytes: files.reduce((sum, { size }) => sum + size, 0), items: files.length, unit: 'files' };
}
