import { type Output, widthOf } from '../output/output.ts';
import { drawLine } from './draw.ts';
import { Rate } from './rate.ts';

/** Work under way. Counts only grow; `finish` or `stop` ends it. */
export interface Progress {
  advance(step: { bytes?: number; files?: number }): void;
  /** More work than was known at the start. */
  expect(more: { bytes?: number; files?: number }): void;
  /** A remark on its own line. */
  note(text: string): void;
  /** Done: leaves one line with what was done. */
  finish(summary?: string): void;
  /** Given up: takes the bar off the screen. */
  stop(): void;
}

export interface ProgressReporter {
  /** `label` says what happens: "Uploading". Totals are null where they are not known. */
  start(label: string, total?: { bytes?: number; files?: number }): Progress;
}

const FRAME = 100;
const QUIET_LINE = 10_000;

/** Bars on a terminal; elsewhere a line now and then; nothing for `--quiet` and `--json`. */
export function createProgress(output: Output, clock: () => number = Date.now): ProgressReporter {
  return {
    start(label, total = {}) {
      const { stderr } = output.streams;
      const state = {
        label,
        bytes: 0,
        files: 0,
        totalBytes: total.bytes ?? 0,
        totalFiles: total.files ?? 0,
        startedAt: clock(),
      };
      const rate = new Rate(clock);
      let shownAt = output.interactive ? 0 : clock();
      let timer: NodeJS.Timeout | undefined;

      function show(): void {
        const now = clock();
        if (now - shownAt < (output.interactive ? FRAME : QUIET_LINE)) return;
        shownAt = now;
        const columns = output.interactive ? widthOf(stderr) : null;
        const line = drawLine(state, rate.perSecond(), columns);
        if (output.interactive) stderr.write(`\r${line}\u001b[K`);
        else output.note(line);
      }

      function wipe(): void {
        if (output.interactive) stderr.write('\r\u001b[K');
      }

      function clear(): void {
        clearInterval(timer);
        wipe();
      }

      if (output.interactive) {
        timer = setInterval(show, FRAME);
        timer.unref();
      }
      return {
        advance({ bytes = 0, files = 0 }) {
          state.bytes += bytes;
          state.files += files;
          rate.add(bytes);
          show();
        },
        expect({ bytes = 0, files = 0 }) {
          state.totalBytes += bytes;
          state.totalFiles += files;
        },
        note(text) {
          wipe();
          output.note(text);
        },
        finish(summary) {
          clear();
          if (summary) output.note(summary);
        },
        stop: clear,
      };
    },
  };
}
