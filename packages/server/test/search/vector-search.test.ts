import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judgeManifest, MANIFEST_SCHEMA, VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH } from '@bindery/contract';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createVectorSearch } from '../../src/adapters/workers/vector-search.ts';
import { buildRevisionIndex } from '../../src/libraries/revision/build-revision-index.ts';
import { encodeSections } from '../../src/libraries/revision/sections.ts';
import { BLOCK_BYTES, BLOCK_ROWS } from '../../src/search/vectors/block.ts';
import { cosine } from '../../src/search/vectors/cosine.ts';
import type { SearchedVectors } from '../../src/search/vectors/vector-search.ts';
import { type AssetVectors, DIMENSIONS, seededVector, sidecarFiles, vectorOf } from './embeddings.ts';

const MIB = 1_024 * 1_024;

let folder: string;
let search: ReturnType<typeof createVectorSearch>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bindery-vectors-'));
});
afterEach(() => search.close());
afterAll(() => rm(folder, { recursive: true, force: true }));

function openSearch(memoryBytes = 64 * MIB) {
  const objects = { localFile: async ({ sha256 }: { sha256: string }) => join(folder, sha256) };
  search = createVectorSearch(
    { objects: objects as never, log: pino({ level: 'silent' }) },
    { memoryBytes, threads: 2 },
  );
  return search;
}

async function store(bytes: Uint8Array): Promise<string> {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await writeFile(join(folder, sha256), bytes);
  return sha256;
}

/** A library in the store: its assets by id, in UTF-8 order. */
async function library(
  vectors: Record<string, AssetVectors>,
  { broken }: { broken?: (files: Record<string, Uint8Array>) => void } = {},
): Promise<SearchedVectors & { ids: string[]; rows: (Float32Array | null)[] }> {
  const ids = Object.keys(vectors).sort();
  const assets = ids.map((id) => ({
    id,
    files: [{ path: `${id}/f`, size: 1, sha256: 'a'.repeat(64) }],
  }));
  const verdict = judgeManifest({ schema: MANIFEST_SCHEMA, assets });
  if (!verdict.ok) throw new Error(verdict.code);
  const files = sidecarFiles(vectors);
  broken?.(files);
  return {
    storeId: 'store',
    indexSha256: await store(Buffer.concat(encodeSections(buildRevisionIndex(verdict, [])))),
    documentSha256: await store(files[VECTORS_INDEX_PATH]!),
    matrixSha256: await store(files[VECTORS_MATRIX_PATH]!),
    assetCount: ids.length,
    filter: null,
    ids,
    rows: ids.map((id) => vectors[id]?.image ?? null),
  };
}

const images = (count: number, seed: number): Record<string, AssetVectors> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `a${String(n).padStart(5, '0')}`,
      { image: seededVector(seed + n) },
    ]),
  );

/** Every row compared, plainly. */
function exactly(
  query: Float32Array,
  libraries: { rows: (Float32Array | null)[]; filter: Uint8Array | null }[],
) {
  return libraries
    .flatMap(({ rows, filter }, target) =>
      rows.flatMap((row, document) =>
        row && filter?.[document] !== 0 ? [{ target, document, cosine: cosine(query, row) }] : [],
      ),
    )
    .sort((a, b) => b.cosine - a.cosine || a.target - b.target || a.document - b.document)
    .slice(0, 100);
}

test('finds exactly the hundred nearest over several libraries, filters before', async () => {
  const libraries = [await library(images(700, 1)), await library({}), await library(images(1, 5_000))];
  libraries.push({ ...(await library(images(900, 10_000))), filter: null });
  libraries[3]!.filter = Uint8Array.from({ length: 900 }, (_, n) => Number(n % 3 === 0));
  const { nearest } = openSearch();
  for (const seed of [1, 2, 3]) {
    const query = seededVector(777 + seed);
    const { candidates, uses } = await nearest(query, libraries);
    expect(candidates).toEqual(exactly(query, libraries));
    expect(uses).toEqual(['used', 'used', 'used', 'used']);
  }
});

test('among thousands of equal vectors the first by library and id are the nearest', async () => {
  const same = { image: vectorOf(0.6) };
  const equal = Object.fromEntries(
    Array.from({ length: 2_600 }, (_, n) => [`e${String(n).padStart(5, '0')}`, same]),
  );
  const libraries = [await library({ ...equal, z: { image: vectorOf(0.7) } }), await library(equal)];
  const { candidates } = await openSearch().nearest(vectorOf(1), libraries);
  expect(candidates.slice(0, 2).map(({ target, document }) => [target, document])).toEqual([
    [0, 2_600],
    [0, 0],
  ]);
  expect(candidates.at(-1)).toMatchObject({ target: 0, document: 98 });
});

test('a few numbers that outweigh all others cost no precision that shows', async () => {
  const vectors = Object.fromEntries(
    Array.from({ length: 1_500 }, (_, n) => {
      const row = seededVector(n + 1).map((value) => value * 0.5);
      row[7] = 0.8;
      const length = Math.hypot(...row);
      return [`o${String(n).padStart(5, '0')}`, { image: row.map((value) => value / length) }];
    }),
  );
  const one = await library(vectors);
  const query = seededVector(99);
  const { candidates } = await openSearch().nearest(query, [one]);
  expect(candidates).toEqual(exactly(query, [one]));
});

test('texts stand in only where no asset has an image', async () => {
  const mixed = await library({
    a: { image: vectorOf(0.1) },
    b: { text: vectorOf(0.9) },
    c: { image: null },
  });
  const texts = await library({ a: { text: vectorOf(0.5) }, b: { image: null, text: null } });
  const { candidates } = await openSearch().nearest(vectorOf(1), [mixed, texts]);
  expect(candidates.map(({ target, document }) => [target, document])).toEqual([
    [1, 0],
    [0, 0],
  ]);
});

test.each<[string, (files: Record<string, Uint8Array>) => void]>([
  [
    'a number that is no number',
    (files) => new DataView(files[VECTORS_MATRIX_PATH]!.buffer).setFloat32(40, Number.NaN, true),
  ],
  [
    'an infinite number',
    (files) => new DataView(files[VECTORS_MATRIX_PATH]!.buffer).setFloat32(40, Infinity, true),
  ],
  ['a row that is not normalised', (files) => files[VECTORS_MATRIX_PATH]!.fill(0, 0, DIMENSIONS * 4)],
  [
    'half a row',
    (files) => (files[VECTORS_MATRIX_PATH] = files[VECTORS_MATRIX_PATH]!.subarray(0, -DIMENSIONS * 2)),
  ],
  [
    'a row that is not there',
    (files) => (files[VECTORS_MATRIX_PATH] = files[VECTORS_MATRIX_PATH]!.subarray(0, -DIMENSIONS * 4)),
  ],
  [
    'an asset that is not there',
    (files) =>
      (files[VECTORS_INDEX_PATH] = Buffer.from(
        String(files[VECTORS_INDEX_PATH]).replace('"a00001"', '"other"'),
      )),
  ],
])('a sidecar with %s has no vectors, and the others are searched', async (_, broken) => {
  const libraries = [await library(images(3, 20), { broken }), await library(images(2, 30))];
  const { nearest, usage } = openSearch();
  const query = seededVector(1);
  for (const round of [1, 2]) {
    const { candidates, uses } = await nearest(query, libraries);
    expect([round, uses]).toEqual([round, ['damaged', 'used']]);
    expect(candidates.map(({ target }) => target)).toEqual([1, 1]);
  }
  expect(usage().blocks).toBe(1);
});

test('a library whose files are gone is unavailable, and found once they are there', async () => {
  const one = await library(images(3, 40));
  const { nearest } = openSearch();
  const away = await nearest(seededVector(1), [{ ...one, matrixSha256: 'f'.repeat(64) }]);
  expect(away).toEqual({ candidates: [], uses: ['unavailable'] });
  expect((await nearest(seededVector(1), [one])).uses).toEqual(['used']);
});

test('memory and open files stay bounded while many libraries come and go', async () => {
  const blocks = 64;
  const { nearest, usage } = openSearch(blocks * BLOCK_BYTES);
  const query = seededVector(3);
  const openFiles = async () => (await readdir('/proc/self/fd')).length;
  const before = await openFiles();
  for (let round = 0; round < 60; round++) {
    const libraries = [
      await library(images(BLOCK_ROWS + 1, 100_000 + round * 1_000)),
      await library(images(2, round * 7 + 1)),
    ];
    const answers = await Promise.all([
      nearest(query, libraries),
      nearest(query, libraries),
      nearest(query, libraries),
    ]);
    for (const { candidates, uses } of answers) {
      expect(uses).toEqual(['used', 'used']);
      expect(candidates).toEqual(exactly(query, libraries));
    }
    expect(usage().blocks).toBeLessThanOrEqual(blocks);
  }
  expect(usage().bytes).toBeLessThanOrEqual((blocks + 1) * BLOCK_BYTES + MIB);
  expect((await openFiles()) - before).toBeLessThanOrEqual(blocks);
});

test('more than the memory holds at once is searched piece by piece', async () => {
  const libraries = await Promise.all(
    Array.from({ length: 24 }, (_, n) => library(images(BLOCK_ROWS + 5, 1 + n * 1_000))),
  );
  const { nearest, usage } = openSearch(32 * BLOCK_BYTES);
  const query = seededVector(12);
  const [first, second] = await Promise.all([nearest(query, libraries), nearest(query, libraries)]);
  expect(first?.uses.every((use) => use === 'used')).toBe(true);
  expect(first?.candidates).toEqual(exactly(query, libraries));
  expect(second).toEqual(first);
  expect(usage().blocks).toBeLessThanOrEqual(32);
});
