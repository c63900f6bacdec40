import { Pool } from 'undici';
import type { Latencies, Load, LoadAnswer, LoadRequest, LoadTarget } from './load.ts';

/*
 * Sends the load described by the message from its parent, and replies with the result.
 */
process.once('message', async (load: Load) => {
  process.send?.(await (load.kind === 'steady' ? steady(load) : full(load)));
  process.disconnect();
});

async function steady({
  target,
  requests,
  seconds,
  perSecond,
}: Extract<Load, { kind: 'steady' }>): Promise<LoadAnswer> {
  const pool = new Pool(target.url, { connections: 32 });
  const times: number[] = [];
  const pending: Promise<void>[] = [];
  const start = performance.now();
  for (let index = 0; index < perSecond * seconds; index++) {
    const due = start + (index * 1_000) / perSecond;
    const wait = due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const sent = send(pool, target, requestAt(requests, index)).then(() => {
      times.push(performance.now() - due);
    });
    pending.push(sent);
  }
  await Promise.all(pending);
  const answered = rateSince(start, times.length);
  await pool.close();
  return { latencies: percentiles(times), perSecond: answered };
}

async function full({
  target,
  requests,
  seconds,
  concurrency,
}: Extract<Load, { kind: 'full' }>): Promise<LoadAnswer> {
  const pool = new Pool(target.url, { connections: concurrency, pipelining: 1 });
  const times: number[] = [];
  const start = performance.now();
  const end = start + seconds * 1_000;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let began = start; began < end; began = performance.now()) {
        await send(pool, target, requestAt(requests, times.length));
        times.push(performance.now() - began);
      }
    }),
  );
  const perSecond = rateSince(start, times.length);
  await pool.close();
  return { latencies: percentiles(times), perSecond };
}

function requestAt(requests: readonly LoadRequest[], index: number): LoadRequest {
  const request = requests[index % requests.length];
  if (!request) throw new RangeError('there is nothing to send');
  return request;
}

function percentiles(times: number[]): Latencies {
  times.sort((a, b) => a - b);
  const at = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

function rateSince(start: number, answered: number): number {
  return (answered * 1_000) / (performance.now() - start);
}

async function send(pool: Pool, { token }: LoadTarget, { method, path, body }: LoadRequest): Promise<void> {
  const response = await pool.request({
    method,
    path,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.body.text();
  if (response.statusCode !== 200 || text.includes('"errors"')) {
    throw new Error(`${method} ${path} answered ${response.statusCode}: ${text.slice(0, 200)}`);
  }
}
