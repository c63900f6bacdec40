/** How far a long piece of work is. */
export interface WorkProgress {
  advance(step: { bytes?: number; files?: number }): void;
  finish(summary?: string): void;
  stop(): void;
}

/** Is told of long work as it begins. Bytes and files are totals. */
export interface ProgressListener {
  start(label: string, total: { bytes: number; files: number }): WorkProgress;
}

export const NO_PROGRESS: ProgressListener = {
  start: () => ({ advance() {}, finish() {}, stop() {} }),
};
