import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guessAccuracy, probe, quantile } from './hidden/probe.ts';
import { createAccounts, fillWorld } from './hidden/world.ts';
import { MeasuredService } from './loop/service.ts';
import type { BenchmarkRow } from './results-table.ts';

const ROUNDS = 3_000;
const WARM_UP = 500;

/** The requests that an attacker is assumed to send for each of two names. */
const PROBES = 25;

/** The share of correct guesses due to chance and noise with this many samples. */
const MAX_RIGHT = 0.6;

/** Whether response times reveal hidden resources, compared with missing ones, to a stranger who is signed in. */
export async function benchHidden(rounds = ROUNDS): Promise<BenchmarkRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-bench-hidden-'));
  try {
    const tokens = await createAccounts(folder);
    const service = await MeasuredService.start(folder, tokens.owner, {});
    try {
      const rows: BenchmarkRow[] = [];
      for (const pair of await fillWorld(service.url, tokens)) {
        await probe(service.url, tokens.stranger, pair, WARM_UP);
        const samples = await probe(service.url, tokens.stranger, pair, rounds);
        const [hidden, missing] = [quantile(samples.hidden, 0.5), quantile(samples.missing, 0.5)];
        const right = guessAccuracy(samples, PROBES);
        rows.push({
          work: `time of a hidden ${pair.kind}`,
          bindery: `${hidden.toFixed(0)} µs`,
          peer: `missing ${missing.toFixed(0)} µs`,
          ratio: `${(hidden - missing).toFixed(1)} µs; ${Math.round(right * 100)} % right with ${PROBES} probes`,
          target: `${MAX_RIGHT * 100} % right`,
          met: right <= MAX_RIGHT,
        });
      }
      return rows;
    } finally {
      await service.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
