import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BlockArena } from '../../src/search/vectors/arena.ts';
import {
  BLOCK_ROWS,
  COARSE_BYTES,
  COARSE_SCALES_AT,
  COARSE_ZERO,
  CODES,
  DIMENSIONS,
  FINE_AT,
  FINE_BITS,
  FINE_BYTES,
  FINE_SCALES_AT,
  LANES,
  ZERO,
} from '../../src/search/vectors/block.ts';
import { Estimates, SCRATCH_BYTES } from '../../src/search/vectors/estimates.ts';
import { type Kernel, kernelProgram } from '../../src/search/vectors/kernel.ts';
import { quantiseQuery, RowQuantiser } from '../../src/search/vectors/quantise.ts';
import { rotate } from '../../src/search/vectors/rotate.ts';
import { seededVector } from './embeddings.ts';

const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((sum, value, at) => sum + value * (b[at] as number), 0);

const turned = (vector: Float32Array) => {
  const copy = Float64Array.from(vector);
  rotate(copy);
  return copy;
};

/** The code of a dimension, put together from where the two parts of a row hold its bits. */
function codeAt(coarse: Uint8Array, fine: Uint8Array, dimension: number): number {
  const register = (perByte: number) => Math.floor(dimension / (LANES * perByte));
  const bits = (packed: Uint8Array, perByte: number) => {
    const byte = packed[register(perByte) * LANES + (dimension % LANES)] as number;
    const place = Math.floor(dimension / LANES) % perByte;
    return (byte >> (place * (8 / perByte))) & (2 ** (8 / perByte) - 1);
  };
  return (bits(coarse, 4) << FINE_BITS) + bits(fine, 2);
}

test('turning keeps the angle between vectors and multiplies lengths by 16', () => {
  for (const seed of [1, 2, 3]) {
    const [a, b] = [seededVector(seed), seededVector(seed + 100)];
    expect(dot(turned(a), turned(b))).toBeCloseTo(256 * dot(a, b), 3);
    expect(dot(turned(a), turned(a))).toBeCloseTo(256, 3);
  }
});

test('turning spreads a single number over all dimensions', () => {
  for (const dimension of [0, 7, 255, 256, 767]) {
    const one = new Float32Array(DIMENSIONS);
    one[dimension] = 1;
    const sizes = turned(one).map(Math.abs);
    expect(Math.min(...sizes)).toBeGreaterThan(0);
    expect(Math.max(...sizes)).toBeLessThan(1);
  }
});

test('codes stand for the turned row, and what they lose is what quantising says', () => {
  const [coarse, fine] = [new Uint8Array(COARSE_BYTES), new Uint8Array(FINE_BYTES)];
  for (const seed of [4, 5, 6]) {
    const row = seededVector(seed);
    const quantised = new RowQuantiser().quantise(row, coarse, fine);
    const unit = turned(row).map((value) => value / 16);
    const exact = Array.from({ length: DIMENSIONS }, (_, at) => codeAt(coarse, fine, at) - ZERO);
    const error = unit.map((value, at) => value - quantised.fine.scale * (exact[at] as number));
    expect(dot(error, unit)).toBeCloseTo(0, 6);
    expect(Math.hypot(...error)).toBeCloseTo(quantised.fine.lost, 6);
    expect(quantised.fine.lost).toBeLessThan(0.08);
    expect(quantised.coarse.lost).toBeLessThan(0.5);
  }
});

/** One block of given codes and scales, estimated for given steps of a query. */
function estimates(code: (row: number, dimension: number) => number, steps: Int8Array, scale: number) {
  const arena = new BlockArena(1 << 20, SCRATCH_BYTES);
  const [block = 0] = arena.lend(1) ?? [];
  const { memory } = arena;
  const bytes = new Uint8Array(memory.buffer);
  for (let row = 0; row < BLOCK_ROWS; row++) {
    for (let at = 0; at < DIMENSIONS; at++) {
      const [upper, lower] = [code(row, at) >> FINE_BITS, code(row, at) & (2 ** FINE_BITS - 1)];
      const coarse = block + row * COARSE_BYTES + Math.floor(at / 64) * LANES + (at % LANES);
      const fine = block + FINE_AT + row * FINE_BYTES + Math.floor(at / 32) * LANES + (at % LANES);
      bytes[coarse] = (bytes[coarse] as number) | (upper << (2 * (Math.floor(at / LANES) % 4)));
      bytes[fine] = (bytes[fine] as number) | (lower << (4 * (Math.floor(at / LANES) % 2)));
    }
  }
  for (const part of [COARSE_SCALES_AT, FINE_SCALES_AT]) {
    new Float32Array(memory.buffer, block + part, BLOCK_ROWS).fill(scale);
  }
  const program = new WebAssembly.Module(kernelProgram(arena.maximumPages));
  const kernel = new WebAssembly.Instance(program, { env: { memory } }).exports as unknown as Kernel;
  const sum = steps.reduce((total, step) => total + step, 0);
  const parts = [
    {
      target: 0,
      blocks: Uint32Array.of(block),
      rows: BLOCK_ROWS,
      file: -1,
      lost: { coarse: 0, fine: 0 },
      filter: null,
    },
  ];
  return new Estimates({ memory, kernel, scratch: 0 }, { steps, step: 1, lost: 0, sum }, parts);
}

const LARGEST_STEP = 113;

test('the kernel computes what the codes say, with the largest numbers too', () => {
  const step = fc.oneof(fc.integer({ min: -LARGEST_STEP, max: LARGEST_STEP }), fc.constant(LARGEST_STEP));
  const code = fc.oneof(fc.integer({ min: 0, max: CODES - 1 }), fc.constant(CODES - 1));
  const vector = <Value>(value: fc.Arbitrary<Value>) =>
    fc.oneof(
      fc.array(value, { minLength: DIMENSIONS, maxLength: DIMENSIONS }),
      value.map((one) => Array.from({ length: DIMENSIONS }, () => one)),
    );
  fc.assert(
    fc.property(vector(step), vector(code), fc.nat(), (steps, codes, seed) => {
      const at = (row: number, dimension: number) =>
        codes[(dimension + row * ((seed % 97) + 1)) % DIMENSIONS] as number;
      const found = estimates(at, Int8Array.from(steps), 0.5);
      const rows = Uint32Array.of(0, 1, 2, 3, 100, BLOCK_ROWS - 1);
      const fine = found.fine(rows);
      for (const [place, row] of rows.entries()) {
        const own = Array.from({ length: DIMENSIONS }, (_, dimension) => at(row, dimension));
        const upper = own.map((value) => ((value >> FINE_BITS) << FINE_BITS) - COARSE_ZERO);
        expect(found.coarse[row]).toBeCloseTo(0.5 * dot(upper, steps), 0);
        expect(
          Math.abs(
            (fine[place] as number) -
              0.5 *
                dot(
                  own.map((value) => value - ZERO),
                  steps,
                ),
          ),
        ).toBeLessThan(1);
      }
    }),
    { numRuns: 25 },
  );
});

test('a quantised query is the turned query but for what it says it lost', () => {
  const query = seededVector(8);
  const { steps, step, lost, sum } = quantiseQuery(query);
  const error = turned(query).map((value, at) => value / 16 - step * (steps[at] as number));
  expect(Math.hypot(...error)).toBeCloseTo(lost, 6);
  expect(Math.max(...steps.map(Math.abs))).toBe(LARGEST_STEP);
  expect(sum).toBe(steps.reduce((total, value) => total + value, 0));
});
