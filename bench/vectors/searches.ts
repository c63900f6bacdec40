import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createEncoder } from '@bindery/encoder';
import { SMALL_MODEL, writeSmallModel } from '../../packages/encoder/src/small-model/index.ts';
import type { BenchmarkRow } from '../results-table.ts';
import { assetId, exactNearest, generateMatrix, rotateDimensions } from './corpus.ts';
import { probe, row, search } from './measure.ts';
import { benchRegistered } from './registered.ts';
import { type Service, seed, serve } from './service.ts';

const ASSETS = 50_000;
const RANK_ROUNDS = 10;
const WORDS = [
  'red chair',
  'green lamp',
  'robot arm',
  'a blue house',
  'yellow',
  'mug',
  'white tree',
  'drone',
];

/** Queries without keyword tokens, so that the result is exactly the hundred nearest. */
const WORDLESS = ['手', '車', '犬'];

export interface SearchScale {
  libraries: number;
  /** Requests per second to one library, and for how many seconds. */
  rate: number;
  seconds: number;
  /** Searches of all libraries, one after another. */
  searches: number;
}

export const FULL_SCALE: SearchScale = { libraries: 50, rate: 50, seconds: 10, searches: 60 };

/** Fused searches of one library and of all, over HTTP, with a service in a separate process. */
export async function benchFusedSearches(scale: SearchScale = FULL_SCALE): Promise<BenchmarkRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-bench-fused-'));
  try {
    const models = join(folder, 'models');
    await writeSmallModel(models);
    const base = generateMatrix(ASSETS);
    const dataDir = join(folder, 'data');
    await mkdir(dataDir);
    const { libraries, token } = await seed(dataDir, {
      assets: ASSETS,
      model: SMALL_MODEL,
      matrices: matrices(base, scale.libraries),
    });
    const service = await serve(dataDir, models, SMALL_MODEL);
    try {
      return [
        ...(await measure(service, { base, libraries, models, scale })),
        ...(await benchRegistered(service, { base, assets: ASSETS, model: SMALL_MODEL, token })),
      ];
    } finally {
      await service.end();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function* matrices(base: Float32Array, count: number): Generator<Float32Array> {
  for (let library = 0; library < count; library++)
    yield library === 0 ? base : rotateDimensions(base, library);
}

interface World {
  base: Float32Array;
  libraries: string[];
  models: string;
  scale: SearchScale;
}

async function measure(service: Service, { base, libraries, models, scale }: World): Promise<BenchmarkRow[]> {
  const [only = ''] = libraries;
  const { first, others } = await firstSearch(service, only);
  for (const q of WORDS) await search(service, [only], q);
  const paced = await atRate(service, only, scale);
  const ranks = await bothRanks(service, only);
  const cold = await search(service, libraries, WORDS[0] as string);
  for (const q of WORDS) await search(service, libraries, q);
  const across: number[] = [];
  for (let n = 0; n < scale.searches; n++) {
    const { milliseconds } = await search(service, libraries, WORDS[n % WORDS.length] as string);
    across.push(milliseconds);
  }
  const recall = await recallAcross(service, { base, libraries, models, scale });
  const memory = peakMebibytes(service);
  const all = `${libraries.length} libraries × 50,000 assets`;
  return [
    row('first fused search of 50,000 assets after the start', first, 3_000, 'ms'),
    row('other requests meanwhile, slowest', others, 50, 'ms'),
    row(`fused search of 50,000 assets at ${scale.rate}/s, p99`, percentile(paced, 0.99), 40, 'ms'),
    ranks,
    row(`first fused search of ${all}`, cold.milliseconds, 10_000, 'ms'),
    row(`fused search of ${all}, p95`, percentile(across, 0.95), 180, 'ms'),
    { ...row('its recall@100 against exact', recall, 0.99, ''), met: recall >= 0.99 },
    row('memory of the service, peak', memory, 4_096, 'MiB'),
  ];
}

/** Measures loading the library, so the encoder may still be loading. */
async function firstSearch(service: Service, library: string): Promise<{ first: number; others: number }> {
  const others = probe(service);
  const { milliseconds } = await search(service, [library], WORDS[0] as string, { expected: 'either' });
  return { first: milliseconds, others: await others.slowest() };
}

/** Starts searches on schedule, without waiting for earlier ones. */
async function atRate(service: Service, library: string, { rate, seconds }: SearchScale): Promise<number[]> {
  const begin = performance.now();
  return Promise.all(
    Array.from({ length: rate * seconds }, async (_, n) => {
      const due = begin + (n * 1_000) / rate;
      await delay(Math.max(0, due - performance.now()));
      await search(service, [library], WORDS[n % WORDS.length] as string);
      return performance.now() - due;
    }),
  );
}

/** Runs the same queries in both orders, one after another. */
async function bothRanks(service: Service, library: string): Promise<BenchmarkRow> {
  const times = { specified: 0, relevance: 0 };
  for (let round = 0; round < RANK_ROUNDS; round++) {
    for (const q of WORDS) {
      for (const rank of ['specified', 'relevance'] as const) {
        times[rank] += (await search(service, [library], q, { rank })).milliseconds;
      }
    }
  }
  const mean = (rank: keyof typeof times) => `${(times[rank] / RANK_ROUNDS / WORDS.length).toFixed(1)} ms`;
  const ratio = times.relevance / times.specified;
  return {
    work: 'search of 50,000 assets by relevance, with vectors, mean',
    bindery: mean('relevance'),
    peer: `by fusion ${mean('specified')}`,
    ratio: `${ratio.toFixed(2)} × its time`,
    target: '1.2 × its time',
    met: ratio <= 1.2,
  };
}

async function recallAcross(service: Service, { base, libraries, models }: World): Promise<number> {
  const encoder = await createEncoder({ folder: models, model: SMALL_MODEL });
  let found = 0;
  try {
    const ordered = libraries.toSorted();
    for (const q of WORDLESS) {
      const [query] = await encoder.embedText([q]);
      if (!query) throw new Error('The encoder answered nothing.');
      const exact = exactNearest(matrices(base, libraries.length), query);
      const wanted = new Set(
        [...exact].map((place) => {
          const [library, asset] = place.split('/').map(Number);
          return `${libraries[library ?? 0]}/${assetId(asset ?? 0)}`;
        }),
      );
      const { hits } = await search(service, ordered, q);
      found += hits.filter((hit) => wanted.has(`${hit.namespace}/${hit.library}/${hit.assetId}`)).length;
    }
  } finally {
    await encoder.close();
  }
  return found / (WORDLESS.length * 100);
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** As reported by Linux. */
function peakMebibytes({ process: { pid } }: Service): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}
