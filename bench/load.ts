import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { nextMessage, start } from './processes.ts';
import { timed } from './results.ts';

export interface LoadRequest {
  method: 'GET' | 'POST';
  path: string;
  body?: string;
}

interface Load {
  target: { url: string; token: string };
  requests: readonly LoadRequest[];
  seconds: number;
  /** As many as possible without it. */
  perSecond?: number;
}

/**
 * Sends requests in turn, at a constant rate without waiting for responses, or 32 at a time; returns the milliseconds
 * since each was due. Runs in a small process: the benchmark's own has more loaded, and garbage collections caused by
 * responses would compete with the measured service for CPU time.
 */
export async function latenciesUnder(load: Load): Promise<number[]> {
  const child = start(import.meta.filename);
  child.send(load);
  const latencies = await nextMessage<number[]>(child);
  child.disconnect();
  return latencies;
}

async function run({ target, requests, seconds, perSecond }: Load): Promise<number[]> {
  const pool = new Pool(target.url, { connections: 32, pipelining: 1 });
  const headers = { authorization: `Bearer ${target.token}`, 'content-type': 'application/json' };
  const times: number[] = [];
  const sendOne = async (index: number) => {
    const { body, ...request } = requests[index % requests.length] as LoadRequest;
    const answer = await pool.request({ ...request, headers, ...(body && { body }) });
    const text = await answer.body.text();
    if (answer.statusCode === 200 && !text.includes('"errors"')) return;
    throw new Error(`${request.method} ${request.path} answered ${answer.statusCode}: ${text.slice(0, 200)}`);
  };
  const begin = performance.now();
  const steady = async (index: number, rate: number) => {
    const due = begin + (index * 1_000) / rate;
    await delay(Math.max(0, due - performance.now()));
    await sendOne(index);
    times.push(performance.now() - due);
  };
  const full = async () => {
    while (performance.now() < begin + seconds * 1_000) times.push(await timed(() => sendOne(times.length)));
  };
  const senders =
    perSecond === undefined
      ? Array.from({ length: 32 }, full)
      : Array.from({ length: perSecond * seconds }, (_, index) => steady(index, perSecond));
  await Promise.all(senders);
  await pool.close();
  return times;
}

if (import.meta.main) {
  process.once('message', async (load: Load) => {
    process.send?.(await run(load));
  });
}
