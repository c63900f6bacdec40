import { readFileSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import fc from 'fast-check';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { localFiles } from '../../src/adapters/workers/local-files.ts';
import { BLOCK_BYTES, BLOCK_ROWS, Block, blocksFor } from '../../src/revision/vectors/block.ts';
import { readCodes, writeCodes } from '../../src/revision/vectors/codes-file.ts';
import { loadVectors } from '../../src/search/vectors/load.ts';
import { type AssetVectors, DIMENSIONS, seededVector, vectorOf } from './embeddings.ts';
import { exactSearch, images, LibraryFolder, type StoredLibrary } from './vector-libraries.ts';

const MIB = 1_024 * 1_024;

let folder: LibraryFolder;
const opened: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  folder = await LibraryFolder.make();
});
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});
afterAll(() => folder.remove());

function openSearch(memoryBytes = 64 * MIB) {
  const warnings: { file?: string; problem?: string }[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => warnings.push(JSON.parse(line)) });
  const search = folder.openSearch(memoryBytes, log);
  opened.push(search);
  return { ...search, warnings };
}

/** Loads a library into memory of its own: what it answers, and the bytes of every block. */
async function load(library: StoredLibrary, codes: string | null = library.codesSha256) {
  const blocks = Uint32Array.from({ length: blocksFor(library.assetCount) }, (_, n) => n);
  const memory = Array.from(blocks, () => new SharedArrayBuffer(BLOCK_BYTES));
  const matrix = await open(folder.file(library.matrixSha256));
  try {
    const outcome = await loadVectors(localFiles, memory, {
      sidecar: {
        documentFile: folder.file(library.documentSha256),
        indexFile: folder.file(library.indexSha256),
      },
      matrix: matrix.fd,
      codes: codes === null ? null : { file: folder.file(codes), sha256: codes },
      assetCount: library.assetCount,
      blocks,
    });
    const rows = outcome.ok ? outcome.rows : 0;
    const bytes = memory.map((block, n) =>
      new Block(block).bytesOf(Math.min(BLOCK_ROWS, rows - n * BLOCK_ROWS)).map((part) => Buffer.from(part)),
    );
    return { outcome, bytes: Buffer.concat(bytes.flat()) };
  } finally {
    await matrix.close();
  }
}

/** Assets in any order of their rows, with images, texts, both or neither. */
const anyVectors = fc
  .array(fc.tuple(fc.constantFrom('image', 'text', 'both', 'neither'), fc.nat()), { maxLength: 600 })
  .map((kinds) => {
    const entries = kinds.map(([kind, order], n): [number, string, AssetVectors] => {
      const image = kind === 'image' || kind === 'both' ? seededVector(n + 1) : null;
      const text = kind === 'text' || kind === 'both' ? seededVector(n + 7_001) : null;
      return [order, `a${String(n).padStart(4, '0')}`, { image, text }];
    });
    entries.sort(([one], [other]) => one - other);
    return Object.fromEntries(entries.map(([, id, vectors]) => [id, vectors]));
  });

test('stored codes load like freshly computed ones and give exactly the same search results', async () => {
  const search = openSearch();
  const query = seededVector(31);
  await fc.assert(
    fc.asyncProperty(anyVectors, async (vectors) => {
      const library = await folder.library(vectors, { codes: true });
      const [coded, anew] = [await load(library), await load(library, null)];
      expect(coded).toEqual(anew);
      expect(coded.outcome).toMatchObject({ ok: true, codesProblem: null });
      const plain = { ...library, storeId: 'other', codesSha256: null };
      const found = await search.nearest(query, [library]);
      expect(found).toEqual(await search.nearest(query, [plain]));
      const hasImages = library.rows.some((row) => row !== null);
      if (hasImages) expect(found.candidates).toEqual(exactSearch(query, [library]));
    }),
    { numRuns: 25 },
  );
  expect(search.warnings).toEqual([]);
});

test('a library with codes is searched without its sidecar document and its revision index', async () => {
  const library = await folder.library(images(300, 9_000), { codes: true });
  const { nearest } = openSearch();
  const query = seededVector(3);
  const away = { ...library, documentSha256: 'f'.repeat(64), indexSha256: 'e'.repeat(64) };
  expect(await nearest(query, [away])).toEqual({ candidates: exactSearch(query, [library]), uses: ['used'] });
});

describe('damaged codes', () => {
  const vectors = images(3, 400);
  let library: StoredLibrary;
  let whole: Buffer;
  let right: Awaited<ReturnType<typeof load>>;

  beforeAll(async () => {
    library = await folder.library(vectors, { codes: true });
    whole = readFileSync(folder.file(library.codesSha256!));
    right = await load(library, null);
  });
  afterEach(() => writeFileSync(folder.file(library.codesSha256!), whole));

  const damage = (bytes: Uint8Array) => writeFileSync(folder.file(library.codesSha256!), bytes);
  const block = new Block(new ArrayBuffer(BLOCK_BYTES));
  const read = () => {
    const codes = { file: folder.file(library.codesSha256!), sha256: library.codesSha256! };
    return readCodes(localFiles, codes, { matrixBytes: 3 * DIMENSIONS * 4, assetCount: 3 }, () => block);
  };

  test('are rejected when truncated to any length, or one byte too long', () => {
    expect(read()).toMatchObject({ ok: true, rows: 3 });
    for (let length = whole.length - 1; length >= 0; length--) {
      truncateSync(folder.file(library.codesSha256!), length);
      expect([length, read().ok]).toEqual([length, false]);
    }
    damage(Buffer.concat([whole, Buffer.alloc(1)]));
    expect(read().ok).toBe(false);
  });

  test('are rejected when a bit is flipped in any byte', async () => {
    await using file = await open(folder.file(library.codesSha256!), 'r+');
    for (let at = 0; at < whole.length; at++) {
      const right = whole.subarray(at, at + 1);
      writeSync(
        file.fd,
        right.map((byte) => byte ^ (1 << (at % 8))),
        0,
        1,
        at,
      );
      expect([at, read().ok]).toEqual([at, false]);
      writeSync(file.fd, right, 0, 1, at);
    }
    expect(read().ok).toBe(true);
  });

  test('are recomputed to the original bytes, and the problem is reported', async () => {
    for (const length of [0, 1, whole.length >> 1, whole.length - 1]) {
      damage(whole.subarray(0, length));
      const { outcome, bytes } = await load(library);
      expect(outcome).toEqual({ ...right.outcome, codesProblem: expect.any(String) });
      expect(bytes.equals(right.bytes)).toBe(true);
    }
  });

  test.each<[string, () => void]>([
    ['truncated', () => truncateSync(folder.file(library.codesSha256!), 700)],
    ['empty', () => damage(new Uint8Array())],
    ['overwritten in their first bytes', () => damage(Buffer.from(whole).fill(3, 0, 9))],
    [
      'of an earlier version',
      () => damage(Buffer.concat([whole.subarray(0, -16), Buffer.from('bndvec1\n'), whole.subarray(-8)])),
    ],
  ])('leave search results exact and log a warning (%s)', async (_, make) => {
    make();
    const { nearest, warnings } = openSearch();
    const query = seededVector(5);
    expect(await nearest(query, [library])).toEqual({
      candidates: exactSearch(query, [library]),
      uses: ['used'],
    });
    expect(warnings).toEqual([
      expect.objectContaining({ file: folder.file(library.codesSha256!), problem: expect.any(String) }),
    ]);
  });

  test('that are missing also leave search results exact and log a warning', async () => {
    const lost = { ...library, codesSha256: 'd'.repeat(64) };
    const { nearest, warnings } = openSearch();
    const query = seededVector(6);
    expect((await nearest(query, [lost])).candidates).toEqual(exactSearch(query, [library]));
    expect(warnings).toMatchObject([{ problem: expect.stringContaining('ENOENT') }]);
  });

  test('next to a damaged sidecar make loading fail with a reason', async () => {
    damage(whole.subarray(1));
    const broken = { ...library, documentSha256: await folder.store(Buffer.from('{')) };
    expect((await load(broken)).outcome).toEqual({ ok: false, reason: expect.any(String) });
  });
});

describe('codes that match their digest', () => {
  test.each<[string, { asset: number; row: number }[], RegExp]>([
    ['for a row that does not exist', [{ asset: 0, row: 2 }], /rows that do not exist/],
    ['for an asset that does not exist', [{ asset: 2, row: 0 }], /assets that do not exist/],
    [
      'for more assets than there are',
      [0, 1, 2].map((asset) => ({ asset, row: 0 })),
      /do not match the size of the vectors/,
    ],
    ['for the same asset twice', [0, 0].map((asset) => ({ asset, row: 0 })), /An asset has its codes twice/],
  ])('%s are rejected', async (_, searched, problem) => {
    // One row more than the revision's matrix, so that there are numbers to read.
    const matrix = await open(folder.file(await folder.store(floats(3))));
    const file = folder.file('made');
    const sha256 = writeCodes(localFiles, file, { matrix: localFiles.opened(matrix.fd), rows: 2, searched });
    await matrix.close();
    const owner = { matrixBytes: 2 * DIMENSIONS * 4, assetCount: 2 };
    const block = new Block(new ArrayBuffer(BLOCK_BYTES));
    expect(readCodes(localFiles, { file, sha256 }, owner, () => block)).toEqual({
      ok: false,
      problem: expect.stringMatching(problem),
    });
  });

  test('of a matrix of another size are rejected', async () => {
    const library = await folder.library(images(2, 70), { codes: true });
    const codes = { file: folder.file(library.codesSha256!), sha256: library.codesSha256! };
    const block = new Block(new ArrayBuffer(BLOCK_BYTES));
    const read = (matrixBytes: number) =>
      readCodes(localFiles, codes, { matrixBytes, assetCount: 2 }, () => block);
    expect(read(2 * DIMENSIONS * 4)).toMatchObject({ ok: true, rows: 2 });
    expect(read(DIMENSIONS * 4)).toMatchObject({ ok: false });
  });
});

test('the bytes of a codes file do not change as long as its magic is bndvec2', async () => {
  const library = await folder.library(images(BLOCK_ROWS + 3, 55), { codes: true });
  // Stored codes are read by later versions: where this hash changes, the magic of `codes-file.ts` has to.
  const magic = readFileSync(folder.file(library.codesSha256!)).subarray(-16, -8).toString('latin1');
  expect([magic, library.codesSha256]).toEqual([
    'bndvec2\n',
    'ec24cb33fab2b0f85e74c81043f628b53e9683510b16fecc7842ee0f67569881',
  ]);
});

test('a row damaged on disk after its codes were written is left out of the results', async () => {
  const vectors = { ...images(30, 800), b: { image: vectorOf(1) }, c: { image: vectorOf(0.99) } };
  const library = await folder.library(vectors, { codes: true });
  const file = folder.file(library.matrixSha256);
  const matrix = readFileSync(file);
  matrix.writeFloatLE(Number.NaN, 30 * DIMENSIONS * 4 + 40);
  matrix.fill(0, 31 * DIMENSIONS * 4, 32 * DIMENSIONS * 4);
  writeFileSync(file, matrix);
  const { nearest } = openSearch();
  const query = vectorOf(1);
  const left = { ...library, filter: Uint8Array.from(library.ids, (id) => Number(id !== 'b' && id !== 'c')) };
  expect(await nearest(query, [library])).toEqual({ candidates: exactSearch(query, [left]), uses: ['used'] });
});

test('memory stays bounded while fifty large libraries come and go', async () => {
  const assets = 5_000;
  const kinds = await Promise.all([0, 1, 2].map((kind) => largeLibrary(assets, kind)));
  const libraries = Array.from({ length: 50 }, (_, n) => ({ ...kinds[n % 3]!, storeId: `store-${n}` }));
  const most = 8 * blocksFor(assets);
  const { nearest, usage, warnings } = openSearch(most * BLOCK_BYTES);
  const query = seededVector(77);
  const right = kinds.map((kind) => exactSearch(query, [kind]));
  const expectBounded = () => {
    expect(usage().blocks).toBeLessThanOrEqual(most);
    expect(usage().bytes).toBeLessThanOrEqual(most * BLOCK_BYTES + MIB);
  };
  for (const first of [0, 10, 20, 30, 40, 0]) {
    const some = libraries.slice(first, first + 10);
    for (const pair of [some.slice(0, 5), some.slice(5)]) {
      const answers = await Promise.all(pair.map((library) => nearest(query, [library])));
      expect(answers).toEqual(
        pair.map((library) => ({ candidates: right[libraries.indexOf(library) % 3], uses: ['used'] })),
      );
      expectBounded();
    }
  }
  expect(await nearest(query, libraries.slice(0, 10))).toEqual({
    candidates: exactSearch(query, libraries.slice(0, 10)),
    uses: libraries.slice(0, 10).map(() => 'used'),
  });
  expectBounded();
  expect(warnings).toEqual([]);
}, 300_000);

/** A library of many assets that share a few hundred rows, all different from those of another kind. */
async function largeLibrary(assets: number, kind: number): Promise<StoredLibrary> {
  const distinct = Array.from({ length: 400 }, (_, n) => seededVector(1 + kind * 1_000 + n));
  const rows = Array.from({ length: assets }, (_, n) => distinct[(n * 7 + kind) % distinct.length]!);
  const bytes = Buffer.concat(distinct.map((row) => Buffer.from(row.buffer)));
  const matrixSha256 = await folder.store(bytes);
  const matrix = await open(folder.file(matrixSha256));
  const file = folder.file(`large-${kind}`);
  const searched = rows.map((_, asset) => ({ asset, row: (asset * 7 + kind) % distinct.length }));
  const sha256 = writeCodes(localFiles, file, {
    matrix: localFiles.opened(matrix.fd),
    rows: distinct.length,
    searched,
  });
  await matrix.close();
  writeFileSync(folder.file(sha256), readFileSync(file));
  return {
    storeId: 'large',
    indexSha256: 'none',
    documentSha256: 'none',
    matrixSha256,
    codesSha256: sha256,
    assetCount: assets,
    filter: null,
    ids: [],
    rows,
  };
}

function floats(rows: number): Buffer {
  return Buffer.concat(Array.from({ length: rows }, (_, n) => Buffer.from(seededVector(n + 1).buffer)));
}
