import { openSync, readSync } from 'node:fs';
import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds between two looks at the clock. */
const INTERVAL = 1;

/** What the event loop went through while something was done; milliseconds. */
export interface Holds {
  /** The longest time between two turns, without what others had the processor for. */
  longest: number;
  /** How long in that time the thread could have run, and others had the processor. */
  waiting: number;
  /** How long in that time garbage was collected. */
  collecting: number;
  /** Processor time of the thread, over all turns. */
  busy: number;
}

interface Turn extends Pick<Holds, 'longest' | 'waiting'> {
  start: number;
  end: number;
}

/**
 * Measures how long the event loop of this process goes without a turn: a timer looks at the clock every millisecond.
 * Linux says how much of a gap the thread only waited for a processor.
 */
export class HoldMeter {
  readonly #statistics = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  readonly #line = Buffer.alloc(80);
  readonly #collections: PerformanceEntry[] = [];
  readonly #observer = new PerformanceObserver((list) => {
    this.#collections.push(...list.getEntries());
  });
  #timer: NodeJS.Timeout | undefined;
  #longest: Turn | null = null;
  #busy = process.threadCpuUsage();

  begin(): void {
    this.#collections.length = 0;
    this.#observer.observe({ entryTypes: ['gc'] });
    this.#longest = null;
    this.#busy = process.threadCpuUsage();
    let last = performance.now();
    let waited = this.#waitedUntilNow();
    this.#timer = setInterval(() => {
      const now = performance.now();
      const waitedNow = this.#waitedUntilNow();
      const waiting = waitedNow - waited;
      const longest = Math.max(0, now - last - INTERVAL - waiting);
      if (longest > (this.#longest?.longest ?? -1))
        this.#longest = { longest, waiting, start: last, end: now };
      last = now;
      waited = waitedNow;
    }, INTERVAL);
  }

  async end(): Promise<Holds> {
    const { user, system } = process.threadCpuUsage(this.#busy);
    // One more turn, in which the last gap is seen and the observer is told.
    await delay(5);
    clearInterval(this.#timer);
    this.#observer.disconnect();
    const { longest, waiting, start, end } = this.#longest ?? { longest: 0, waiting: 0, start: 0, end: 0 };
    const collecting = this.#collections.reduce(
      (sum, { startTime, duration }) =>
        sum + Math.max(0, Math.min(end, startTime + duration) - Math.max(start, startTime)),
      0,
    );
    return { longest, waiting, collecting, busy: (user + system) / 1_000 };
  }

  /** Milliseconds that this thread has waited for a processor since it began. */
  #waitedUntilNow(): number {
    const length = readSync(this.#statistics, this.#line, 0, this.#line.length, 0);
    const [, nanoseconds = ''] = this.#line.toString('latin1', 0, length).split(' ');
    return Number(nanoseconds) / 1e6;
  }
}
