import { type Output, widthOf } from '../output/output.ts';
import { formatBytes, formatDuration, formatNumber } from '../output/text.ts';

/** Work in progress. Counts only grow; `finish` or `stop` ends it. */
export interface Progress {
  advance(step: { bytes?: number; items?: number }): void;
  /** Adds work that was not known at the start. */
  addTotal(more: { bytes?: number; items?: number }): void;
  /** Prints a note on its own line. */
  note(text: string): void;
  /** Ends finished work, and prints `summary` on a line. */
  finish(summary?: string): void;
  /** Ends work that was given up, and removes the bar. */
  stop(): void;
}

export interface ProgressReporter {
  /** `label` says what happens: "Uploading". Totals are left out if they are not known. */
  start(label: string, total?: { bytes?: number; items?: number; unit?: string }): Progress;
}

const FRAME = 100;
const QUIET_LINE = 10_000;

/** Shows bars on a terminal, and elsewhere a line every ten seconds; nothing with `--quiet` and `--json`. */
export function createProgress(output: Output, clock: () => number = Date.now): ProgressReporter {
  return {
    start(label, total = {}) {
      const { stderr } = output.streams;
      const state = {
        label,
        bytes: 0,
        items: 0,
        totalBytes: total.bytes ?? 0,
        totalItems: total.items ?? 0,
        unit: total.unit ?? 'files',
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
        advance({ bytes = 0, items = 0 }) {
          state.bytes += bytes;
          state.items += items;
          rate.add(bytes);
          show();
        },
        addTotal({ bytes = 0, items = 0 }) {
          state.totalBytes += bytes;
          state.totalItems += items;
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

const WINDOW = 5_000;

/** Bytes per second over the last five seconds. */
export class Rate {
  readonly #clock: () => number;
  readonly #startedAt: number;
  #samples: { at: number; bytes: number }[] = [];

  constructor(clock: () => number) {
    this.#clock = clock;
    this.#startedAt = clock();
  }

  add(bytes: number): void {
    const at = this.#clock();
    const last = this.#samples.at(-1);
    if (last && at - last.at < 100) last.bytes += bytes;
    else this.#samples.push({ at, bytes });
  }

  perSecond(): number {
    const now = this.#clock();
    this.#samples = this.#samples.filter(({ at }) => now - at < WINDOW);
    const bytes = this.#samples.reduce((sum, sample) => sum + sample.bytes, 0);
    const span = Math.min(WINDOW, Math.max(now - this.#startedAt, 1));
    return (bytes * 1_000) / span;
  }
}

interface ProgressState {
  label: string;
  bytes: number;
  items: number;
  totalBytes: number;
  totalItems: number;
  /** What the items are. */
  unit: string;
}

const WIDEST_BAR = 24;
const NARROWEST_BAR = 6;

/** Returns one line of progress, truncated to `columns`; null draws it without a bar, for logs. */
export function drawLine(state: ProgressState, bytesPerSecond: number, columns: number | null): string {
  const { label, bytes, items, totalBytes, totalItems, unit } = state;
  const share = shareDone(state);
  const parts: string[] = [];
  if (totalItems > 0) parts.push(`${formatNumber(items)}/${formatNumber(totalItems)} ${unit}`);
  else if (items > 0) parts.push(`${formatNumber(items)} ${unit}`);
  if (totalBytes > 0) parts.push(`${formatBytes(bytes)}/${formatBytes(totalBytes)}`);
  else if (bytes > 0) parts.push(formatBytes(bytes));
  if (bytesPerSecond > 0) {
    parts.push(`${formatBytes(Math.round(bytesPerSecond))}/s`);
    if (totalBytes > bytes) parts.push(`${formatDuration((totalBytes - bytes) / bytesPerSecond)} left`);
  }
  const percent = share === null ? '' : `${String(Math.floor(share * 100)).padStart(3)}%  `;
  const facts = percent + parts.join('  ');
  if (columns === null) return `${label} ${facts.trim()}`.trim();
  const room = columns - 1 - `${label}  ${facts}`.length;
  const bar = share === null || room < NARROWEST_BAR ? '' : `${drawBar(share, Math.min(WIDEST_BAR, room))} `;
  return `${label} ${bar}${facts}`.slice(0, Math.max(0, columns - 1));
}

function drawBar(share: number, width: number): string {
  const filled = Math.round(share * width);
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}

/** From 0 to 1 by bytes if their total is known, else by items; null if neither is known. */
function shareDone({ bytes, items, totalBytes, totalItems }: ProgressState): number | null {
  if (totalBytes > 0) return Math.min(1, bytes / totalBytes);
  if (totalItems > 0) return Math.min(1, items / totalItems);
  return null;
}
