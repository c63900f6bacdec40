import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { localFiles } from '../../src/adapters/workers/local-files.ts';
import { BLOCK_BYTES, BLOCK_ROWS, Block, blocksFor, DIMENSIONS } from '../../src/revision/vectors/block.ts';
import {
  closerError,
  closerEstimate,
  codeQuery,
  estimateError,
  RowCoder,
  rotate,
  STRETCH,
  unitFor,
} from '../../src/revision/vectors/codes.ts';
import { codeBlocks } from '../../src/revision/vectors/codes-file.ts';
import { CodeReader } from '../../src/search/vectors/candidates.ts';
import { cosine } from '../../src/search/vectors/exact-rows.ts';
import { scan } from '../../src/search/vectors/scan.ts';
import { type FoundRows, type ScanPart, ScanProgress } from '../../src/search/vectors/scan-part.ts';
import { seededVector, vectorOf } from './embeddings.ts';

let folder: string;
const files: number[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bindery-scan-'));
});
afterEach(() => files.splice(0).forEach(closeSync));
afterAll(() => rmSync(folder, { recursive: true }));

interface Library {
  rows: readonly Float32Array[];
  filter: Uint8Array | null;
}

/** Codes libraries into memory, and answers how to scan them. */
function codeLibraries(libraries: readonly Library[]): { reader: CodeReader; context: ScanPart[] } {
  const memory: SharedArrayBuffer[] = [];
  const context = libraries.map(({ rows, filter }, target): ScanPart => {
    const path = join(folder, 'matrix');
    rmSync(path, { force: true });
    writeFileSync(path, Buffer.concat(rows.map((row) => Buffer.from(row.buffer))));
    const file = openSync(path, 'r');
    files.push(file);
    const searched = rows.map((_, asset) => ({ asset, row: asset }));
    const first = memory.length;
    memory.push(...Array.from({ length: blocksFor(rows.length) }, () => new SharedArrayBuffer(BLOCK_BYTES)));
    for (const _ of codeBlocks(
      localFiles.opened(file),
      searched,
      (number) => new Block(memory[first + number]!),
    ));
    const blocks = Uint32Array.from({ length: memory.length - first }, (_, at) => first + at);
    const owners = { targets: Uint32Array.of(target), firsts: Uint32Array.of(0) };
    return { number: target, owners, blocks, rows: rows.length, file, filter };
  });
  return { reader: new CodeReader(memory), context };
}

/** Every row compared, plainly. */
function exactly(query: Float32Array, libraries: readonly Library[], floor = Number.NEGATIVE_INFINITY) {
  return libraries
    .flatMap(({ rows, filter }, target) =>
      rows.map((row, asset) => ({
        target,
        asset,
        cosine: cosine(query, row),
        passes: filter?.[asset] !== 0,
      })),
    )
    .filter(({ passes, cosine }) => passes && cosine >= floor)
    .sort((a, b) => b.cosine - a.cosine || a.target - b.target || a.asset - b.asset)
    .slice(0, 100)
    .map(({ target, asset, cosine }) => ({ target, asset, cosine }));
}

function found({ targets, assets, cosines }: FoundRows) {
  return Array.from(cosines, (cosine, at) => ({ target: targets[at], asset: assets[at], cosine }));
}

const alone = () => new ScanProgress(ScanProgress.memory());

function scanned(query: Float32Array, libraries: readonly Library[]) {
  const { reader, context } = codeLibraries(libraries);
  const outcome = scan(localFiles, reader, query, context, alone());
  if (!('found' in outcome)) throw new Error(outcome.unreadable.problem);
  return found(outcome.found);
}

const normalised = (vector: Float32Array) => {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
};

/** A vector of about this cosine with another, elsewhere in a direction that depends on the seed. */
function near(query: Float32Array, cosine: number, seed: number): Float32Array {
  const other = seededVector(seed);
  const along = other.reduce((sum, value, at) => sum + value * query[at]!, 0);
  const across = normalised(other.map((value, at) => value - along * query[at]!));
  const sine = Math.sqrt(1 - cosine ** 2);
  return query.map((value, at) => cosine * value + sine * across[at]!);
}

/** One number that outweighs all others, as encoders make them. */
function lopsided(seed: number, at: number): Float32Array {
  const row = seededVector(seed).map((value) => value * 0.4);
  row[at] = 0.9;
  return normalised(row);
}

const query = seededVector(4_711);

/** Groups of rows: apart from each other, at nearly the same cosine, all the same, lopsided, of other lengths. */
const anyRows = fc
  .array(
    fc.record({
      kind: fc.constantFrom('apart', 'near ties', 'same', 'lopsided', 'longer'),
      count: fc.integer({ min: 1, max: 150 }),
      seed: fc.integer({ min: 1, max: 1_000_000 }),
    }),
    { maxLength: 6 },
  )
  .map((groups) =>
    groups.flatMap(({ kind, count, seed }) =>
      Array.from({ length: count }, (_, n) => {
        if (kind === 'near ties') return near(query, 0.3 + (n % 7) * 1e-7, seed + n);
        if (kind === 'same') return near(query, 0.29, seed);
        if (kind === 'lopsided') return lopsided(seed + n, (seed + n) % DIMENSIONS);
        if (kind === 'longer')
          return seededVector(seed + n).map((value) => value * (0.991 + (n % 18) / 1_000));
        return seededVector(seed + n);
      }),
    ),
  );

const anyLibrary = fc
  .tuple(anyRows, fc.constantFrom('all', 'some', 'few', 'none'), fc.nat({ max: 1_000 }))
  .map(([rows, passing, seed]): Library => {
    const every = { all: 1, some: 2, few: 37, none: Number.POSITIVE_INFINITY }[passing];
    const passes = (_: unknown, asset: number) => Number((asset + seed) % every === 0);
    return { rows, filter: passing === 'all' ? null : Uint8Array.from(rows, passes) };
  });

test('a scan returns exactly the rows, order and cosines that comparing every row gives', () => {
  fc.assert(
    fc.property(fc.array(anyLibrary, { minLength: 1, maxLength: 3 }), (libraries) => {
      expect(scanned(query, libraries)).toEqual(exactly(query, libraries));
    }),
    { numRuns: 20, endOnFailure: true },
  );
});

/** Gives its worker this many blocks at most, as if others had taken the rest. */
class ShareOf extends ScanProgress {
  #left: number;

  constructor(memory: SharedArrayBuffer, blocks: number) {
    super(memory);
    this.#left = blocks;
  }

  override takeBlock(): number {
    return this.#left-- > 0 ? super.takeBlock() : Number.POSITIVE_INFINITY;
  }
}

test('workers that share a scan find the exact results together, however they divide the blocks', () => {
  fc.assert(
    fc.property(
      fc.array(anyLibrary, { minLength: 2, maxLength: 5 }),
      fc.nat({ max: 4 }),
      (libraries, first) => {
        const { reader, context } = codeLibraries(libraries);
        const memory = ScanProgress.memory();
        const both = [new ShareOf(memory, first), new ScanProgress(memory)].flatMap((progress) => {
          const outcome = scan(localFiles, reader, query, context, progress);
          return 'found' in outcome ? found(outcome.found) : [];
        });
        const best = both.sort((a, b) => b.cosine - a.cosine || a.target! - b.target! || a.asset! - b.asset!);
        expect(best.slice(0, 100)).toEqual(exactly(query, libraries));
      },
    ),
    { numRuns: 20, endOnFailure: true },
  );
});

test('a worker that starts late returns no row that can no longer be among the best 100', () => {
  const near100 = Array.from({ length: 100 }, (_, n) => near(query, 0.9, n + 1));
  const apart = Array.from({ length: 100 }, (_, n) => seededVector(n + 1));
  const { reader, context } = codeLibraries([
    { rows: near100, filter: null },
    { rows: apart, filter: null },
  ]);
  const memory = ScanProgress.memory();
  scan(localFiles, reader, query, context, new ShareOf(memory, 1));
  const late = scan(localFiles, reader, query, context, new ScanProgress(memory));
  expect('found' in late && found(late.found)).toEqual([]);
});

test('a scan finds the exact best 100 among more near ties than its first pass inspects', () => {
  const ties = Array.from({ length: 500 }, (_, n) => near(query, 0.5 + (n % 3) * 1e-8, n + 1));
  const rows = Array.from({ length: BLOCK_ROWS + 500 }, (_, n) => ties[(n * 7) % ties.length]!);
  expect(scanned(query, [{ rows, filter: null }])).toEqual(exactly(query, [{ rows, filter: null }]));
});

test('a scan orders thousands of equal rows by library, then asset', () => {
  const same = near(query, 0.4, 5);
  const libraries = [
    { rows: [...Array.from({ length: BLOCK_ROWS + 50 }, () => same), near(query, 0.41, 6)], filter: null },
    { rows: Array.from({ length: 300 }, () => same), filter: null },
  ];
  const nearest = scanned(query, libraries);
  expect(nearest.slice(0, 3)).toMatchObject([
    { target: 0, asset: BLOCK_ROWS + 50 },
    { target: 0, asset: 0 },
    { target: 0, asset: 1 },
  ]);
  expect(nearest).toEqual(exactly(query, libraries));
});

test('a scan with a floor finds every row that reaches it', () => {
  const libraries = [
    { rows: Array.from({ length: 500 }, (_, n) => near(query, n / 1_000, n + 1)), filter: null },
  ];
  const { reader, context } = codeLibraries(libraries);
  const floor = cosine(query, libraries[0]!.rows[470]!);
  const outcome = scan(localFiles, reader, query, context, alone(), floor);
  const reached = 'found' in outcome ? found(outcome.found).filter(({ cosine }) => cosine >= floor) : [];
  expect(reached).toEqual(exactly(query, libraries, floor));
});

describe('rotating vectors', () => {
  const turned = (vector: Float32Array) => {
    const copy = Float64Array.from(vector);
    rotate(copy);
    return copy.map((value) => value / STRETCH);
  };
  const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
    Array.from(a).reduce((sum, value, at) => sum + value * b[at]!, 0);

  test('preserves their lengths and the angles between them', () => {
    for (const seed of [1, 2, 3]) {
      const [a, b] = [seededVector(seed), seededVector(seed + 100)];
      expect(dot(turned(a), turned(b))).toBeCloseTo(dot(a, b), 12);
      expect(dot(turned(a), turned(a))).toBeCloseTo(dot(a, a), 12);
    }
  });

  test('spreads a single component over all dimensions', () => {
    for (const dimension of [0, 7, 255, 256, 767]) {
      const one = new Float32Array(DIMENSIONS);
      one[dimension] = 1;
      const sizes = turned(one).map(Math.abs);
      expect(Math.min(...sizes)).toBeGreaterThan(0);
      expect(Math.max(...sizes)).toBeLessThan(0.1);
    }
  });
});

describe('the error bound of an estimate', () => {
  function coded(row: Float32Array) {
    const coder = new RowCoder();
    const codes = new Int8Array(DIMENSIONS);
    const unit = unitFor(coder.take(row));
    return { codes, unit, error: coder.encode(codes, unit) };
  }

  const productOf = (one: Int8Array, other: Int8Array) =>
    one.reduce((sum, code, at) => sum + code * other[at]!, 0);

  function expectWithin(query: Float32Array, row: Float32Array): number {
    const { codes, unit, error } = coded(row);
    const asked = codeQuery(query);
    const product = productOf(codes, asked.codes);
    const exact = cosine(query, row);
    expect(Math.abs(unit * asked.unit * product - exact)).toBeLessThanOrEqual(estimateError(asked, error));
    const off = Math.abs(
      closerEstimate(asked, unit, product, productOf(codes, asked.residual.codes)) - exact,
    );
    expect(off).toBeLessThanOrEqual(closerError(asked, error));
    return off / closerError(asked, error);
  }

  test('holds for rows and queries of any kind', () => {
    const vector = fc.oneof(
      fc.nat().map((seed) => seededVector(seed)),
      fc.tuple(fc.nat(), fc.nat({ max: DIMENSIONS - 1 })).map(([seed, at]) => lopsided(seed, at)),
      fc.nat({ max: 1_000 }).map((n) => vectorOf(n / 1_000)),
      fc.nat().map((seed) => normalised(seededVector(seed).map((value) => Math.sign(value) * value ** 4))),
    );
    fc.assert(
      fc.property(vector, vector, (one, other) => {
        expectWithin(one, other);
        expectWithin(one, one);
      }),
      { numRuns: 100 },
    );
  });

  test('is nearly reached by a query in the direction of the rounding error of a row', () => {
    const row = seededVector(12);
    const { codes, unit } = coded(row);
    const turned = Float64Array.from(row, (value) => value / STRETCH);
    rotate(turned);
    const lost = turned.map((value, at) => value - unit * codes[at]!);
    // Turned back: the product with each turned direction.
    const back = Float32Array.from({ length: DIMENSIONS }, (_, dimension) => {
      const direction = new Float64Array(DIMENSIONS);
      direction[dimension] = 1 / STRETCH;
      rotate(direction);
      return direction.reduce((sum, value, at) => sum + value * lost[at]!, 0);
    });
    expect(expectWithin(normalised(back), row)).toBeGreaterThan(0.99);
  });
});
