/** How far a long piece of work is. */
export interface WorkProgress {
  advance(step: { bytes?: number; items?: number }): void;
  finish(summary?: string): void;
  stop(): void;
}

/** What a piece of work comes to, and what its items are. */
export interface WorkTotal {
  bytes: number;
  items: number;
  unit: 'files' | 'assets' | 'images and texts';
}

/** Is told of long work as it begins. */
export interface ProgressListener {
  start(label: string, total: WorkTotal): WorkProgress;
}

export const NO_PROGRESS: ProgressListener = {
  start: () => ({ advance() {}, finish() {}, stop() {} }),
};
