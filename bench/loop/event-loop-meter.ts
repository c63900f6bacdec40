import { openSync, readSync } from 'node:fs';
import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds between two readings of the clock. */
const INTERVAL = 1;

/** How the event loop was blocked during a piece of work, in milliseconds. */
export interface EventLoopDelays {
  /** The longest gap between two iterations, without the time spent waiting for a CPU. */
  longest: number;
  /** How long the thread was runnable in that gap but other processes had the CPU. */
  waiting: number;
  /** How much of that gap was garbage collection. */
  collecting: number;
  /** CPU time of the thread in total. */
  busy: number;
}

interface Turn extends Pick<EventLoopDelays, 'longest' | 'waiting'> {
  start: number;
  end: number;
}

/**
 * Measures how long the event loop of this process is blocked: a timer reads the clock every millisecond. Linux reports
 * how much of a gap the thread spent waiting for a CPU.
 */
export class EventLoopMeter {
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

  async end(): Promise<EventLoopDelays> {
    const { user, system } = process.threadCpuUsage(this.#busy);
    // One more iteration, to record the last gap and to notify the observer.
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

  /** Milliseconds that this thread has waited for a CPU since it started. */
  #waitedUntilNow(): number {
    const length = readSync(this.#statistics, this.#line, 0, this.#line.length, 0);
    const [, nanoseconds = ''] = this.#line.toString('latin1', 0, length).split(' ');
    return Number(nanoseconds) / 1e6;
  }
}
