import type { ProgressListener } from '@bindery/sdk/browser/push';
import type { Progress } from './protocol.ts';

/** Minimum milliseconds between two reports. */
const PAUSE = 100;

/** Reports progress, at most ten times a second. */
export function progressListener(onProgress: (progress: Progress) => void): ProgressListener {
  return {
    start(label, total) {
      const stage = label === 'Hashing' ? 'Hashing' : 'Uploading';
      let [bytes, files, told] = [0, 0, 0];
      const report = () => {
        told = performance.now();
        onProgress({ stage, bytes, files, totalBytes: total.bytes, totalFiles: total.items });
      };
      report();
      return {
        advance(step) {
          bytes += step.bytes ?? 0;
          files += step.items ?? 0;
          if (performance.now() - told > PAUSE) report();
        },
        finish: report,
        stop() {},
      };
    },
  };
}
