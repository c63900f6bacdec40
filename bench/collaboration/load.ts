import { Pool } from 'undici';

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

/** Sends requests at a steady rate, whether or not earlier ones were answered, and times each from its due moment. */
export async function steadyLoad(
  { url, token }: LoadTarget,
  perSecond: number,
  seconds: number,
  requestOf: (index: number) => LoadRequest,
): Promise<Latencies> {
  const pool = new Pool(url, { connections: 32 });
  const times: number[] = [];
  const pending: Promise<void>[] = [];
  const start = performance.now();
  for (let index = 0; index < perSecond * seconds; index++) {
    const due = start + (index * 1_000) / perSecond;
    const wait = due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const sent = send(pool, token, requestOf(index)).then(() => {
      times.push(performance.now() - Math.max(due, start));
    });
    pending.push(sent);
  }
  await Promise.all(pending);
  await pool.close();
  times.sort((a, b) => a - b);
  const at = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

/** Keeps `concurrency` requests under way for some seconds and answers how many a second were answered. */
export async function fullLoad(
  { url, token }: LoadTarget,
  concurrency: number,
  seconds: number,
  request: LoadRequest,
): Promise<number> {
  const pool = new Pool(url, { connections: concurrency, pipelining: 1 });
  const end = performance.now() + seconds * 1_000;
  let answered = 0;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (performance.now() < end) {
        await send(pool, token, request);
        answered++;
      }
    }),
  );
  const rate = (answered * 1_000) / (performance.now() - start);
  await pool.close();
  return rate;
}

async function send(pool: Pool, token: string, { method, path, body }: LoadRequest): Promise<void> {
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
