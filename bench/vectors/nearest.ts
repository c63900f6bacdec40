import { hash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { validateManifestValue } from '@bindery/contract';
import pino from 'pino';
import { exactSearch, MetricKind } from 'usearch';
import { createVectorSearch } from '../../packages/server/src/adapters/workers/vector-search.ts';
import type { ObjectStore } from '../../packages/server/src/objects/store.ts';
import { encodeRevisionIndex } from '../../packages/server/src/revision/encode-index.ts';
import { encodeSections } from '../../packages/server/src/revision/sections.ts';
import type { BenchmarkRow } from '../results-table.ts';
import { DIMENSIONS, exactNearest, generateLibrary, generateMatrix } from './corpus.ts';

const ROWS = 50_000;
const QUERIES = 60;
const CHECKED = 20;
/** Searches until V8 has compiled the search code, which takes CPU time away from the searches. */
const WARM_UP = 300;
const MEMORY = 512 * 1_024 * 1_024;
const RESCORED = 200;
const [RATIO, RECALL, HELD] = [0.95, 1, 10];

/**
 * The hundred nearest of 50,000 vectors, compared with a usearch search over the same numbers as 8-bit integers, with
 * as many threads, followed by full products of the 200 that it finds. Both run in turn.
 */
export async function benchNearest(): Promise<BenchmarkRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-bench-nearest-'));
  const matrix = generateMatrix(ROWS);
  const queries = generateMatrix(QUERIES, 7);
  const objects = { localFile: async ({ sha256 }: { sha256: string }) => join(folder, sha256) };
  const vectors = createVectorSearch(
    { objects: objects as unknown as ObjectStore, log: pino({ level: 'silent' }) },
    { memoryBytes: MEMORY },
  );
  try {
    const library = await writeLibrary(folder, matrix);
    const query = (n: number) =>
      queries.subarray((n % QUERIES) * DIMENSIONS, ((n % QUERIES) + 1) * DIMENSIONS);
    const ours = async (n: number) => (await vectors.nearest(query(n).slice(), [library])).candidates;
    const theirs = peer(matrix);
    for (let n = 0; n < WARM_UP; n++) {
      await ours(n);
      theirs(query(n));
    }
    const [mine, peers]: [number[], number[]] = [[], []];
    for (let n = 0; n < QUERIES; n++) {
      mine.push(await timed(() => ours(n)));
      peers.push(await timed(() => theirs(query(n))));
    }
    const loop = monitorEventLoopDelay({ resolution: 1 });
    loop.enable();
    for (let n = 0; n < QUERIES; n++) await ours(n);
    loop.disable();
    const recall = await recallOf(ours, query, matrix);
    return rows(median(mine), median(peers), recall, loop.max / 1e6);
  } finally {
    await vectors.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function peer(matrix: Float32Array): (query: Float32Array) => number[] {
  const unit = 127 / matrix.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const coded = Int8Array.from(matrix, (value) => Math.round(value * unit));
  return (query) => {
    const largest = query.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const codes = Int8Array.from(query, (value) => Math.round((value * 127) / largest));
    const { keys } = exactSearch(coded, codes, DIMENSIONS, RESCORED, MetricKind.IP, 0);
    const scored = Array.from(keys as BigUint64Array, (key) => ({
      row: Number(key),
      score: dot(matrix, Number(key), query),
    }));
    return scored
      .sort((a, b) => b.score - a.score)
      .slice(0, 100)
      .map(({ row }) => row);
  };
}

function dot(matrix: Float32Array, row: number, query: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < DIMENSIONS; at++)
    sum += (matrix[row * DIMENSIONS + at] as number) * (query[at] as number);
  return sum;
}

async function writeLibrary(folder: string, matrix: Float32Array) {
  const store = async (bytes: Uint8Array) => {
    const sha256 = hash('sha256', bytes);
    await writeFile(join(folder, sha256), bytes);
    return sha256;
  };
  const { manifest, document } = generateLibrary(ROWS, 'bench');
  const verdict = validateManifestValue(manifest);
  if (!verdict.ok) throw new Error(`The generated manifest is refused: ${verdict.code}.`);
  return {
    storeId: 'bench',
    indexSha256: await store(Buffer.concat(encodeSections(encodeRevisionIndex(verdict, [])))),
    documentSha256: await store(document),
    matrixSha256: await store(new Uint8Array(matrix.buffer)),
    codesSha256: null,
    assetCount: ROWS,
    filter: null,
  };
}

async function recallOf(
  search: (n: number) => Promise<{ document: number }[]>,
  query: (n: number) => Float32Array,
  matrix: Float32Array,
): Promise<number> {
  let found = 0;
  for (let n = 0; n < CHECKED; n++) {
    const exact = exactNearest([matrix], query(n));
    found += (await search(n)).filter(({ document }) => exact.has(`0/${document}`)).length;
  }
  return found / (CHECKED * 100);
}

function rows(mine: number, peers: number, recall: number, held: number): BenchmarkRow[] {
  const alone = { peer: '', ratio: '' };
  return [
    {
      work: 'nearest 100 of 50,000 × 768, p50',
      bindery: `${mine.toFixed(2)} ms`,
      peer: `usearch int8 with rescoring ${peers.toFixed(2)} ms`,
      ratio: `${(peers / mine).toFixed(2)} × its speed`,
      target: `${RATIO} × its speed`,
      met: peers / mine >= RATIO,
    },
    {
      ...alone,
      work: 'its recall@100 against exact',
      bindery: recall.toFixed(4),
      target: String(RECALL),
      met: recall >= RECALL,
    },
    {
      ...alone,
      work: 'longest hold of the event loop meanwhile',
      bindery: `${held.toFixed(1)} ms`,
      target: `${HELD} ms`,
      met: held <= HELD,
    },
  ];
}

async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(times: number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
}

if (import.meta.main) console.table(await benchNearest());
