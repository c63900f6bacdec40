import { setTimeout as delay } from 'node:timers/promises';
import type { CrossLibraryHit } from '@bindery/contract';
import { request } from 'undici';
import type { BenchmarkRow } from '../results-table.ts';
import type { Service } from './service.ts';

/** Milliseconds between two requests of other clients. */
const PAUSE = 5;

/**
 * Searches libraries over HTTP; the time is measured to the last byte, with a client that uses little of the CPU time
 * that it shares with the service. Throws if a semantic search was expected and the response is not.
 */
export async function search(
  { url }: Service,
  libraries: readonly string[],
  q: string,
  {
    expected = 'semantic',
    rank = 'specified',
  }: { expected?: 'semantic' | 'either'; rank?: 'specified' | 'relevance' } = {},
): Promise<{ milliseconds: number; hits: CrossLibraryHit[] }> {
  const parameters = new URLSearchParams({ q, libraries: libraries.join(','), limit: '100', rank });
  const start = performance.now();
  const { statusCode, headers, body } = await request(`${url}/library-search?${parameters}`);
  const text = await body.text();
  const milliseconds = performance.now() - start;
  const { semantic, hits } = JSON.parse(text) as { semantic: boolean; hits: CrossLibraryHit[] };
  if (statusCode !== 200 || (expected === 'semantic' && !semantic)) {
    throw new Error(`A search was not semantic: ${statusCode} ${headers['bindery-semantic']}`);
  }
  return { milliseconds, hits };
}

/** Sends other requests until stopped; returns the longest response time. */
export function probe({ url }: Service): { slowest(): Promise<number> } {
  let done = false;
  let slowest = 0;
  const probing = (async () => {
    while (!done) {
      const start = performance.now();
      await (await request(`${url}/healthz`)).body.dump();
      slowest = Math.max(slowest, performance.now() - start);
      await delay(PAUSE);
    }
  })();
  return {
    async slowest() {
      done = true;
      await probing;
      return slowest;
    },
  };
}

/** A row whose value has an upper limit. */
export function row(work: string, value: number, limit: number, unit: string): BenchmarkRow {
  const figure = value < 2 ? value.toFixed(4) : value.toFixed(1);
  return {
    work,
    bindery: `${figure} ${unit}`.trim(),
    peer: '',
    ratio: '',
    target: `${limit} ${unit}`.trim(),
    met: value <= limit,
  };
}
