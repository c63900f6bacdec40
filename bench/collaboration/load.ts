import { fork } from 'node:child_process';
import { answerOf } from '../answer-of.ts';

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

/** What a process of its own is told to send: `requests` in turn, again and again, for some seconds. */
export type Load = { target: LoadTarget; requests: readonly LoadRequest[]; seconds: number } & (
  | { kind: 'steady'; perSecond: number }
  | { kind: 'full'; concurrency: number }
);

/** What that process answers. */
export interface LoadAnswer {
  latencies: Latencies;
  /** Requests that were answered. */
  perSecond: number;
}

/** Sends requests at a steady rate, whether or not earlier ones were answered, and times each from its due moment. */
export async function steadyLoad(
  target: LoadTarget,
  perSecond: number,
  seconds: number,
  requests: readonly LoadRequest[],
): Promise<Latencies> {
  const { latencies } = await load({ kind: 'steady', target, requests, seconds, perSecond });
  return latencies;
}

/** Keeps `concurrency` requests under way for some seconds and answers how many a second were answered. */
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
 * In a process that holds little: the bench's own has the whole service loaded, and its collections of garbage, which answers
 * bring about, would take the processors of what is measured.
 */
async function load(wanted: Load): Promise<LoadAnswer> {
  const child = fork(new URL('./load-process.ts', import.meta.url));
  child.send(wanted);
  return answerOf<LoadAnswer>(child);
}
