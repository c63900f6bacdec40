import { fork } from 'node:child_process';
import { nextMessage } from '../next-message.ts';

export interface LoadTarget {
  url: string;
  token: string;
}

export interface LoadRequest {
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
}

/** Milliseconds. */
export interface Latencies {
  p50: number;
  p99: number;
}

/** The load that a separate process sends: `requests` in turn, repeatedly, for the given time. */
export type Load = { target: LoadTarget; requests: readonly LoadRequest[]; seconds: number } & (
  | { kind: 'steady'; perSecond: number }
  | { kind: 'full'; concurrency: number }
);

/** The reply of that process. */
export interface LoadAnswer {
  latencies: Latencies;
  /** Completed requests per second. */
  perSecond: number;
}

/** Sends requests at a constant rate, without waiting for responses, and times each from when it was due. */
export async function steadyLoad(
  target: LoadTarget,
  perSecond: number,
  seconds: number,
  requests: readonly LoadRequest[],
): Promise<Latencies> {
  const { latencies } = await load({ kind: 'steady', target, requests, seconds, perSecond });
  return latencies;
}

/** Keeps `concurrency` requests in flight for the given time; returns the requests completed per second. */
export async function fullLoad(
  target: LoadTarget,
  concurrency: number,
  seconds: number,
  request: LoadRequest,
): Promise<number> {
  const { perSecond } = await load({ kind: 'full', target, requests: [request], seconds, concurrency });
  return perSecond;
}

/**
 * Runs in a small process: the benchmark's own has the whole service loaded, and garbage collections caused by
 * responses would compete with the measured service for CPU time.
 */
async function load(wanted: Load): Promise<LoadAnswer> {
  const child = fork(new URL('./load-process.ts', import.meta.url));
  child.send(wanted);
  return nextMessage<LoadAnswer>(child);
}
