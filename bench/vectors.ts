import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH } from '@bindery/contract';
import {
  DIMENSIONS,
  generateLibrary,
  generateMatrix,
  nearestSearch,
  OWNER,
  rotateDimensions,
  seedDataFolder,
  seedLibrary,
} from '@bindery/server/testing';
import { request } from 'undici';
import { exactSearch, MetricKind } from 'usearch';
import { SMALL_MODEL, writeSmallModel } from '../packages/encoder/test/small-model.ts';
import { peakMebibytes, withFolder } from './processes.ts';
import {
  type BenchmarkRow,
  limitRow,
  median,
  quantile,
  ratioRow,
  repeated,
  scaled,
  timed,
} from './results.ts';
import { withService } from './world.ts';

const ASSETS = scaled(50_000);
const LIBRARIES = scaled(10);
const WORDS = 'red chair,green lamp,robot arm,a blue house,yellow,mug,white tree,drone'.split(',');
const many = ASSETS.toLocaleString('en');

/** Vector search: nearest neighbours, then whole searches. Takes 1.6 GB of disk. */
export async function benchVectors(): Promise<BenchmarkRow[]> {
  const base = generateMatrix(ASSETS);
  return [...(await benchNearest(base)), ...(await benchFusedSearches(base))];
}

/**
 * The hundred nearest of 50,000 vectors, compared with a usearch search over the same numbers as 8-bit integers, with
 * as many threads, followed by full products of the 200 that it finds. Both run in turn.
 */
function benchNearest(matrix: Float32Array): Promise<BenchmarkRow[]> {
  const queryCount = 60;
  return withFolder(async (folder) => {
    const search = await nearestSearch(folder, { ...generateLibrary(ASSETS, 'bench'), matrix });
    try {
      const queries = generateMatrix(queryCount, 7);
      const query = (n: number) =>
        queries.slice((n % queryCount) * DIMENSIONS, ((n % queryCount) + 1) * DIMENSIONS);
      const peer = nearestByUsearch(matrix);
      const [ours, theirs]: [number[], number[]] = [[], []];
      // First until V8 has compiled the search code, which takes CPU time away from the searches.
      for (let n = -scaled(300); n < queryCount; n++) {
        const own = await timed(() => search.nearest(query(Math.abs(n))));
        const other = await timed(() => peer(query(Math.abs(n))));
        if (n >= 0) ours.push(own);
        if (n >= 0) theirs.push(other);
      }
      const ratio = median(theirs) / median(ours);
      const work = `nearest 100 of ${many} × 768, p50`;
      const bindery = `${median(ours).toFixed(2)} ms`;
      const beside = `usearch int8 with rescoring ${median(theirs).toFixed(2)} ms`;
      return [ratioRow({ work, bindery, peer: beside }, ratio, { least: 0.95, unit: '× its speed' })];
    } finally {
      await search.close();
    }
  });
}

function nearestByUsearch(matrix: Float32Array): (query: Float32Array) => number[] {
  const largest = (values: Float32Array) =>
    values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const coded = (values: Float32Array) => {
    const unit = 127 / largest(values);
    return Int8Array.from(values, (value) => Math.round(value * unit));
  };
  const codes = coded(matrix);
  return (query) => {
    const { keys } = exactSearch(codes, coded(query), DIMENSIONS, 200, MetricKind.IP, 0);
    const scored = Array.from(keys as BigUint64Array, (key) => {
      const [row, start] = [Number(key), Number(key) * DIMENSIONS];
      let score = 0;
      for (let at = 0; at < DIMENSIONS; at++) score += (matrix[start + at] as number) * (query[at] as number);
      return { row, score };
    });
    const best = scored.sort((a, b) => b.score - a.score).slice(0, 100);
    return best.map(({ row }) => row);
  };
}

/** Fused searches of one library and of all, over HTTP, with a service in a separate process. */
function benchFusedSearches(base: Float32Array): Promise<BenchmarkRow[]> {
  return withFolder(async (folder) => {
    const models = join(folder, 'models');
    await writeSmallModel(models);
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir);
    const libraries: string[] = [];
    await seedDataFolder(dataDir, async (seeding) => {
      for (const matrix of matrices(base)) {
        const name = `library-${libraries.length}`;
        const { manifest, document } = generateLibrary(ASSETS, SMALL_MODEL);
        const artifacts = [
          { path: VECTORS_INDEX_PATH, bytes: document },
          { path: VECTORS_MATRIX_PATH, bytes: new Uint8Array(matrix.buffer) },
        ];
        const bytes = Buffer.from(JSON.stringify(manifest));
        await seedLibrary(seeding, { name, manifest: bytes, artifacts, visibility: 'public' });
        libraries.push(`${OWNER}/${name}`);
      }
    });
    const settings = { BINDERY_ENCODER: SMALL_MODEL, BINDERY_MODEL_DIR: models };
    return withService(dataDir, settings, async ({ url, pid }) => {
      const only = libraries.slice(0, 1);
      // The encoder may still be loading.
      const first = await search(url, only, WORDS[0], true);
      const p95 = async (searched: readonly string[]) => {
        const times = await repeated(60, (n) => search(url, searched, WORDS[n % WORDS.length]));
        return quantile(times.slice(WORDS.length), 0.95);
      };
      const one = await p95(only);
      const cold = await search(url, libraries, WORDS[0]);
      const across = await p95(libraries);
      const memory = peakMebibytes(pid);
      const all = `${libraries.length} libraries × ${many} assets`;
      return [
        limitRow(`first fused search of ${many} assets after the start`, first, 3_000, 'ms', 1),
        limitRow(`fused search of ${many} assets, p95`, one, 40, 'ms', 1),
        limitRow(`first fused search of ${all}`, cold, 2_000, 'ms', 1),
        limitRow(`fused search of ${all}, p95`, across, 60, 'ms', 1),
        limitRow('memory of the service, peak', memory, 2_048, 'MiB', 1),
      ];
    });
  });
}

function* matrices(base: Float32Array): Generator<Float32Array> {
  for (let library = 0; library < LIBRARIES; library++)
    yield library === 0 ? base : rotateDimensions(base, library);
}

function searchPath(libraries: readonly string[], q: string): string {
  return `/library-search?${new URLSearchParams({ q, libraries: libraries.join(','), limit: '100', rank: 'specified' })}`;
}

/** Milliseconds of a search over HTTP, to the last byte. Throws if it did not use vectors, unless it need not. */
async function search(
  url: string,
  libraries: readonly string[],
  q = '',
  mayBeKeywords = false,
): Promise<number> {
  let text = '';
  const milliseconds = await timed(async () => {
    text = await (await request(`${url}${searchPath(libraries, q)}`)).body.text();
  });
  const { semantic, hits } = JSON.parse(text) as { semantic: boolean; hits?: unknown[] };
  if (hits === undefined || !(semantic || mayBeKeywords))
    throw new Error(`A search was not semantic: ${text}`);
  return milliseconds;
}
