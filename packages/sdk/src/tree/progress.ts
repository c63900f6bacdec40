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
  unit: 'files' | 'assets' | 'images and texts';
}

/** Notified when long-running work starts. */
export interface ProgressListener {
  start(label: string, total: WorkTotal): WorkProgress;
}

export const NO_PROGRESS: ProgressListener = {
  start: () => ({ advance() {}, finish() {}, stop() {} }),
};
