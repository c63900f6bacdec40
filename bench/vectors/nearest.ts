import { hash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { judgeManifest } from '@bindery/contract';
import pino from 'pino';
import { exactSearch, MetricKind } from 'usearch';
import { createVectorSearch } from '../../packages/server/src/adapters/workers/vector-search.ts';
import { buildRevisionIndex } from '../../packages/server/src/libraries/revision/build-revision-index.ts';
import { encodeSections } from '../../packages/server/src/libraries/revision/sections.ts';
import type { ObjectStore } from '../../packages/server/src/objects/store.ts';
import type { Row } from '../row.ts';
import { DIMENSIONS, exactNearest, generateLibrary, generateMatrix } from './corpus.ts';

const ROWS = 50_000;
const QUERIES = 60;
const CHECKED = 20;
const WARM_UP = 20;
const MEMORY = 512 * 1_024 * 1_024;
const [RATIO, RECALL, HELD] = [2, 0.999, 10];

/** The hundred nearest of 50,000 vectors, in turn with usearch's exact search over the same floats, on as many threads. */
export async function benchNearest(): Promise<Row[]> {
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
    const theirs = (n: number) => exactSearch(matrix, query(n), DIMENSIONS, 100, MetricKind.IP, 0);
    for (let n = 0; n < WARM_UP; n++) {
      await ours(n);
      theirs(n);
    }
    const [mine, peers]: [number[], number[]] = [[], []];
    for (let n = 0; n < QUERIES; n++) {
      mine.push(await timed(() => ours(n)));
      peers.push(await timed(() => theirs(n)));
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

async function writeLibrary(folder: string, matrix: Float32Array) {
  const store = async (bytes: Uint8Array) => {
    const sha256 = hash('sha256', bytes);
    await writeFile(join(folder, sha256), bytes);
    return sha256;
  };
  const { manifest, document } = generateLibrary(ROWS, 'bench');
  const verdict = judgeManifest(manifest);
  if (!verdict.ok) throw new Error(`The generated manifest is refused: ${verdict.code}.`);
  return {
    storeId: 'bench',
    indexSha256: await store(Buffer.concat(encodeSections(buildRevisionIndex(verdict, [])))),
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

function rows(mine: number, peers: number, recall: number, held: number): Row[] {
  const alone = { peer: '', ratio: '' };
  return [
    {
      work: 'nearest 100 of 50,000 × 768, p50',
      bindery: `${mine.toFixed(2)} ms`,
      peer: `usearch exact, float32 ${peers.toFixed(2)} ms`,
      ratio: `${(peers / mine).toFixed(1)} × faster`,
      target: `${RATIO} × faster`,
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
