import { rm, truncate } from 'node:fs/promises';
import { VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH } from '@bindery/contract';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { BLOCK_BYTES } from '../../src/revision/vectors/block.ts';
import { type AssetVectors, DIMENSIONS, seededVector, vectorOf } from './embeddings.ts';
import { exactSearch, images, LibraryFolder, type LibraryOptions } from './vector-libraries.ts';

const MIB = 1_024 * 1_024;

let folder: LibraryFolder;
let search: ReturnType<LibraryFolder['openSearch']>;

beforeAll(async () => {
  folder = await LibraryFolder.make();
});
afterEach(() => search.close());
afterAll(() => folder.remove());

const openSearch = (memoryBytes = 64 * MIB) => (search = folder.openSearch(memoryBytes));
const library = (vectors: Record<string, AssetVectors>, options?: LibraryOptions) =>
  folder.library(vectors, options);

test('a vector search across libraries finds exactly the 100 nearest of the assets that pass the filters', async () => {
  const libraries = [await library(images(700, 1)), await library({}), await library(images(1, 5_000))];
  libraries.push({ ...(await library(images(900, 10_000))), filter: null });
  libraries[3]!.filter = Uint8Array.from({ length: 900 }, (_, n) => Number(n % 3 === 0));
  const { nearest } = openSearch();
  for (const seed of [1, 2, 3]) {
    const query = seededVector(777 + seed);
    const { candidates, uses } = await nearest(query, libraries);
    expect(candidates).toEqual(exactSearch(query, libraries));
    expect(uses).toEqual(['used', 'used', 'used', 'used']);
  }
});

test('ties among thousands of equal vectors are broken by library, then asset id', async () => {
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

test('vectors dominated by one large component still get exact results', async () => {
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
  expect(candidates).toEqual(exactSearch(query, [one]));
});

test('a library is searched by text vectors only if none of its assets has an image vector', async () => {
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
    'a NaN value',
    (files) => new DataView(files[VECTORS_MATRIX_PATH]!.buffer).setFloat32(40, Number.NaN, true),
  ],
  [
    'an infinite value',
    (files) => new DataView(files[VECTORS_MATRIX_PATH]!.buffer).setFloat32(40, Infinity, true),
  ],
  ['a row that is not normalised', (files) => files[VECTORS_MATRIX_PATH]!.fill(0, 0, DIMENSIONS * 4)],
  [
    'an incomplete row',
    (files) => (files[VECTORS_MATRIX_PATH] = files[VECTORS_MATRIX_PATH]!.subarray(0, -DIMENSIONS * 2)),
  ],
  [
    'a missing row',
    (files) => (files[VECTORS_MATRIX_PATH] = files[VECTORS_MATRIX_PATH]!.subarray(0, -DIMENSIONS * 4)),
  ],
  [
    'an unknown asset',
    (files) =>
      (files[VECTORS_INDEX_PATH] = Buffer.from(
        String(files[VECTORS_INDEX_PATH]).replace('"a00001"', '"other"'),
      )),
  ],
])(
  'a library whose sidecar has %s is reported as damaged, and the others are searched',
  async (_, broken) => {
    const libraries = [await library(images(3, 20), { broken }), await library(images(2, 30))];
    const { nearest, usage } = openSearch();
    const query = seededVector(1);
    for (const round of [1, 2]) {
      const { candidates, uses } = await nearest(query, libraries);
      expect([round, uses]).toEqual([round, ['damaged', 'used']]);
      expect(candidates.map(({ target }) => target)).toEqual([1, 1]);
    }
    expect(usage().blocks).toBe(1);
  },
);

test('libraries about to be searched are loaded ahead into free memory, without evicting others', async () => {
  const [one, two] = [await library(images(3, 50)), await library(images(3, 60))];
  const { nearest, prepare, usage } = openSearch(8 * BLOCK_BYTES);
  prepare([one, two]);
  expect(usage().blocks).toBe(2);
  const query = seededVector(1);
  expect(await nearest(query, [one, two])).toMatchObject({ uses: ['used', 'used'] });
  // Without their files, they could not be loaded a second time.
  for (const { matrixSha256 } of [one, two]) await rm(folder.file(matrixSha256));
  const seven = await Promise.all(Array.from({ length: 7 }, (_, n) => library(images(2, 1_000 + n))));
  prepare(seven);
  expect(usage().blocks).toBe(8);
  expect(await nearest(query, [one, two])).toMatchObject({ uses: ['used', 'used'] });
  expect(usage().blocks).toBe(8);
});

test('a library whose matrix file is missing is unavailable, and is searched once the file is present', async () => {
  const one = await library(images(3, 40));
  const { nearest } = openSearch();
  const away = await nearest(seededVector(1), [{ ...one, matrixSha256: 'f'.repeat(64) }]);
  expect(away).toEqual({ candidates: [], uses: ['unavailable'] });
  expect((await nearest(seededVector(1), [one])).uses).toEqual(['used']);
});

test('a library whose matrix is truncated while in use is left out, and the others are searched', async () => {
  const [torn, whole] = [await library(images(300, 20)), await library(images(3, 30))];
  const { nearest, usage } = openSearch();
  const query = seededVector(1);
  expect((await nearest(query, [torn, whole])).uses).toEqual(['used', 'used']);
  await truncate(folder.file(torn.matrixSha256), 4_096);
  const others = exactSearch(query, [whole]).map((one) => ({ ...one, target: 1 }));
  expect(await nearest(query, [torn, whole])).toEqual({ candidates: others, uses: ['unavailable', 'used'] });
  expect(await nearest(query, [torn, whole])).toEqual({ candidates: others, uses: ['damaged', 'used'] });
  expect(usage().blocks).toBe(1);
});

test('memory and open files stay bounded while many libraries come and go', async () => {
  const blocks = 16;
  const { nearest, usage } = openSearch(blocks * BLOCK_BYTES);
  const query = seededVector(3);
  for (let round = 0; round < 30; round++) {
    const libraries = [
      await library(images(130, 100_000 + round * 1_000)),
      await library(images(2, round * 7 + 1)),
    ];
    const answers = await Promise.all([
      nearest(query, libraries),
      nearest(query, libraries),
      nearest(query, libraries),
    ]);
    for (const { candidates, uses } of answers) {
      expect(uses).toEqual(['used', 'used']);
      expect(candidates).toEqual(exactSearch(query, libraries));
    }
    expect(usage().blocks).toBeLessThanOrEqual(blocks);
  }
  expect(usage().bytes).toBeLessThanOrEqual((blocks + 1) * BLOCK_BYTES + MIB);
  expect((await folder.openFiles()).length).toBeLessThanOrEqual(blocks);
});

test('libraries that do not fit into memory together are searched piece by piece, with exact results', async () => {
  const libraries = await Promise.all(
    Array.from({ length: 24 }, (_, n) => library(images(100, 1 + n * 1_000))),
  );
  const { nearest, usage } = openSearch(16 * BLOCK_BYTES);
  const query = seededVector(12);
  const [first, second] = await Promise.all([nearest(query, libraries), nearest(query, libraries)]);
  expect(first?.uses.every((use) => use === 'used')).toBe(true);
  expect(first?.candidates).toEqual(exactSearch(query, libraries));
  expect(second).toEqual(first);
  expect(usage().blocks).toBeLessThanOrEqual(16);
});
