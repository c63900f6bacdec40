import type { Metrics } from '../metrics.ts';

const MINUTE = 60_000;
const MINUTES = 60;

interface Minute {
  /** When it began, in milliseconds since 1970. */
  at: number;
  requests: number;
  failures: number;
  seconds: number;
}

/** Summarises the activity of this process for the health report, and passes the metrics on. */
export class Activity {
  readonly startedAt: number;
  readonly transferred = { bytesIn: 0, bytesOut: 0 };
  readonly #clock: () => number;
  /** The last hour, the earliest minute first. */
  #minutes: Minute[] = [];

  constructor(clock: () => number) {
    this.#clock = clock;
    this.startedAt = clock();
  }

  /** Wraps metrics so that they are counted here too. */
  of(metrics: Metrics): Metrics {
    return {
      requestAnswered: (request) => {
        this.#count(request);
        metrics.requestAnswered(request);
      },
      bytesTransferred: (direction, bytes) => {
        this.transferred[direction === 'in' ? 'bytesIn' : 'bytesOut'] += bytes;
        metrics.bytesTransferred(direction, bytes);
      },
      searched: (search) => metrics.searched(search),
      queryEncoded: (query) => metrics.queryEncoded(query),
      registered: (register) => metrics.registered(register),
      scrubbed: (bytes) => metrics.scrubbed(bytes),
      damageFound: (what) => metrics.damageFound(what),
      damageRepaired: (what) => metrics.damageRepaired(what),
      webhookAttempted: (outcome) => metrics.webhookAttempted(outcome),
      webhooksWaiting: (read) => metrics.webhooksWaiting(read),
      searchChangesWaiting: (read) => metrics.searchChangesWaiting(read),
    };
  }

  lastHour(): { at: number; requests: number; failures: number; meanMilliseconds: number }[] {
    this.#forget();
    return this.#minutes.map(({ at, requests, failures, seconds }) => ({
      at,
      requests,
      failures,
      meanMilliseconds: (seconds * 1_000) / requests,
    }));
  }

  #count({ status, seconds }: { status: number; seconds: number }): void {
    const at = Math.floor(this.#clock() / MINUTE) * MINUTE;
    let minute = this.#minutes.at(-1);
    // If the clock was set back, requests count towards the latest minute.
    if (minute === undefined || minute.at < at) {
      minute = { at, requests: 0, failures: 0, seconds: 0 };
      this.#minutes.push(minute);
      this.#forget();
    }
    minute.requests++;
    minute.seconds += seconds;
    if (status >= 500) minute.failures++;
  }

  #forget(): void {
    const since = this.#clock() - MINUTES * MINUTE;
    this.#minutes = this.#minutes.filter(({ at }) => at > since);
  }
}
