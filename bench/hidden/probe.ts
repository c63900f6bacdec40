import { randomInt } from 'node:crypto';
import { Client } from 'undici';
import type { Pair } from './world.ts';

/** Response times in microseconds. */
export interface Samples {
  hidden: number[];
  missing: number[];
}

/** Requests both in random order, one request at a time over one connection. */
export async function probe(url: string, token: string | null, pair: Pair, rounds: number): Promise<Samples> {
  const client = new Client(url);
  const headers = token === null ? {} : { authorization: `Bearer ${token}` };
  const samples: Samples = { hidden: [], missing: [] };
  const ask = async (name: keyof Samples) => {
    const start = performance.now();
    const response = await client.request({ method: pair.method, path: pair[name], headers });
    await response.body.dump();
    samples[name].push((performance.now() - start) * 1_000);
  };
  try {
    for (let round = 0; round < rounds; round++) {
      const hiddenFirst = randomInt(2) === 0;
      await ask(hiddenFirst ? 'hidden' : 'missing');
      await ask(hiddenFirst ? 'missing' : 'hidden');
    }
  } finally {
    await client.close();
  }
  return samples;
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}

/**
 * How often a guess is right after `probes` requests for each of two names, if the name with the greater, or the
 * smaller, time is taken for the hidden one: 0.5 is chance, 1 is certainty. Compares medians, and first deciles, which
 * are less noisy; the better guess counts. Estimated by resampling.
 */
export function guessAccuracy({ hidden, missing }: Samples, probes: number, trials = 4_000): number {
  const draw = (values: readonly number[]) =>
    Array.from({ length: probes }, () => values[randomInt(values.length)] ?? 0);
  const guesses = [0.1, 0.5].map((share) => {
    let greater = 0;
    for (let trial = 0; trial < trials; trial++) {
      if (quantile(draw(hidden), share) > quantile(draw(missing), share)) greater++;
    }
    return Math.max(greater, trials - greater) / trials;
  });
  return Math.max(...guesses);
}
