import { BLOCK_ROWS, COARSE_AT, COARSE_BYTES, COARSE_SCALES_AT, FINE_BYTES, LANES } from './block.ts';
import { type Code, encodeModule, LOCAL_TYPES, op } from './wasm-module.ts';

/** Rows that are worked on together, so that a piece of the query is read once for all of them. */
const ROWS_TOGETHER = 2;

/**
 * Rows from anywhere in memory whose codes are fetched together, so that the processor waits once for all of them: it does
 * not look far enough ahead to fetch the next row while it works on one.
 */
export const ROWS_FETCHED = 8;

/** Bytes that come from memory at a time. */
const CACHE_LINE = 64;

export interface Kernel {
  /**
   * Estimates the dot products of a query with the rows of a block from their coarse codes.
   * @param block where the block starts in memory
   * @param query where the query stands: one signed byte per dimension, of 113 at most
   * @param zero `COARSE_ZERO` times the sum of the query's bytes
   * @param estimates where to write one 32-bit float per row: `scale × (dot(16 × coarse code, query) - zero)`
   */
  estimateCoarsely(block: number, query: number, zero: number, estimates: number): void;

  /**
   * The dot products of a query with the fine codes of some rows.
   * @param list where the list of rows stands: for each where its fine codes start in memory, a 32-bit integer, in whose
   * place its sum is written
   * @param count how many rows there are, a multiple of `ROWS_FETCHED`
   */
  fineSums(list: number, count: number, query: number): void;
}

/** The program for a memory of so many pages at most. */
export function kernelProgram(maximumPages: number): Uint8Array<ArrayBuffer> {
  return encodeModule([estimateCoarsely(), fineSums()], maximumPages);
}

/*
 * A byte of coarse codes holds those of four dimensions, 16 apart, the first in its lowest bits. Every other one is
 * multiplied where it stands, fourfold, which saves the instruction that would move it. Products are added up in 16 bits,
 * the fourfold ones in two sums, so that none can overflow: 12 registers × 2 products × 12 × 113 is less than 2^15.
 */
function estimateCoarsely() {
  const [block, query, zero, estimates] = [0, 1, 2, 3];
  const [codes, scales, rowsLeft] = [4, 5, 6];
  const [single, fourfold, piece] = [7, 8, 9];
  const [loaded, moved] = [(row: number) => 10 + 2 * row, (row: number) => 11 + 2 * row];
  const sum = (row: number, which: number) => 10 + 2 * ROWS_TOGETHER + 3 * row + which;
  const multiply = (row: number, part: number): Code => {
    const own = part < 2 ? loaded(row) : moved(row);
    const total = sum(row, [0, 1, 0, 2][part] as number);
    return [
      ...op.get(piece),
      ...[...op.get(own), ...op.get(part % 2 === 0 ? single : fourfold), ...op.and],
      ...[...op.dot16, ...op.get(total), ...op.add16, ...op.set(total)],
    ];
  };
  const store = (row: number): Code => {
    const widened = (which: number) => [...op.get(sum(row, which)), ...op.widenPairs];
    const fourfolds = [...widened(1), ...widened(2), ...op.addVectors, ...op.constant(2), ...op.shiftLeft];
    const singles = [...widened(0), ...op.constant(4), ...op.shiftLeft];
    return [
      ...[...singles, ...fourfolds, ...op.addVectors, ...op.set(sum(row, 0))],
      ...op.get(estimates),
      ...[...total(sum(row, 0)), ...op.get(zero), ...op.subtract, ...op.toFloat],
      ...[...op.get(scales), ...op.loadFloat(row * 4), ...op.multiplyFloat],
      ...op.storeFloat(row * 4),
    ];
  };
  return {
    name: 'estimateCoarsely',
    parameters: 4,
    locals: [
      { count: 3, type: LOCAL_TYPES.i32 },
      { count: 3 + 5 * ROWS_TOGETHER, type: LOCAL_TYPES.v128 },
    ],
    body: [
      ...[...op.get(block), ...op.constant(COARSE_AT), ...op.add, ...op.set(codes)],
      ...[...op.get(block), ...op.constant(COARSE_SCALES_AT), ...op.add, ...op.set(scales)],
      ...[...op.constant(BLOCK_ROWS), ...op.set(rowsLeft)],
      ...[...op.everyByte(0b11), ...op.set(single)],
      ...[...op.everyByte(0b1100), ...op.set(fourfold)],
      ...op.repeatWhile([
        ...rows((row) => range(3).flatMap((which) => [...op.everyByte(0), ...op.set(sum(row, which))])),
        ...range(COARSE_BYTES / LANES).flatMap((register) => [
          ...rows((row) => {
            const offset = row * COARSE_BYTES + register * LANES;
            return [
              ...[...op.get(codes), ...op.loadVector(offset), ...op.set(loaded(row))],
              ...[...op.get(loaded(row)), ...op.constant(4), ...op.shiftRight, ...op.set(moved(row))],
            ];
          }),
          ...range(4).flatMap((part) => [
            ...[...op.get(query), ...op.loadVector((register * 4 + part) * LANES), ...op.set(piece)],
            ...rows((row) => multiply(row, part)),
          ]),
        ]),
        ...rows(store),
        ...advance(codes, ROWS_TOGETHER * COARSE_BYTES),
        ...advance(scales, ROWS_TOGETHER * 4),
        ...advance(estimates, ROWS_TOGETHER * 4),
        ...advance(rowsLeft, -ROWS_TOGETHER),
        ...op.get(rowsLeft),
      ]),
    ],
  };
}

/** A byte of fine codes holds those of two dimensions, 16 apart, the first in its lower half. */
function fineSums() {
  const [list, rowsLeft, query] = [0, 1, 2];
  const [codes, fetched, groupLeft] = [3, 4, 5];
  const [mask, loaded, products] = [6, 7, 8];
  const fetch = range(ROWS_FETCHED).flatMap((row) => [
    ...[...op.get(list), ...op.load(row * 4), ...op.set(codes)],
    ...range(FINE_BYTES / CACHE_LINE).flatMap((line) => [
      ...[...op.get(codes), ...op.load(line * CACHE_LINE)],
      ...[...op.get(fetched), ...op.or, ...op.set(fetched)],
    ]),
  ]);
  const half = (register: number, part: number): Code => {
    const own = part === 1 ? [...op.get(loaded), ...op.constant(4), ...op.shiftRight] : op.get(loaded);
    return [
      ...[...op.get(query), ...op.loadVector((register * 2 + part) * LANES)],
      ...[...own, ...op.get(mask), ...op.and],
      ...[...op.get(products), ...op.dotAdd, ...op.set(products)],
    ];
  };
  return {
    name: 'fineSums',
    parameters: 3,
    locals: [
      { count: 3, type: LOCAL_TYPES.i32 },
      { count: 3, type: LOCAL_TYPES.v128 },
    ],
    body: [
      ...[...op.everyByte(0b1111), ...op.set(mask)],
      ...op.repeatWhile([
        ...fetch,
        ...[...op.constant(ROWS_FETCHED), ...op.set(groupLeft)],
        ...op.repeatWhile([
          ...[...op.get(list), ...op.load(0), ...op.set(codes)],
          ...[...op.everyByte(0), ...op.set(products)],
          ...range(FINE_BYTES / LANES).flatMap((register) => [
            ...[...op.get(codes), ...op.loadVector(register * LANES), ...op.set(loaded)],
            ...[...half(register, 0), ...half(register, 1)],
          ]),
          ...[...op.get(list), ...total(products), ...op.store(0)],
          ...advance(list, 4),
          ...advance(groupLeft, -1),
          ...op.get(groupLeft),
        ]),
        ...advance(rowsLeft, -ROWS_FETCHED),
        ...op.get(rowsLeft),
      ]),
    ],
  };
}

/** The sum of the four lanes of a vector. */
function total(vector: number): Code {
  const lane = (number: number) => [...op.get(vector), ...op.lane(number)];
  return [...lane(0), ...lane(1), ...op.add, ...lane(2), ...op.add, ...lane(3), ...op.add];
}

function advance(local: number, by: number): Code {
  return [...op.get(local), ...op.constant(by), ...op.add, ...op.set(local)];
}

function rows(code: (row: number) => Code): Code {
  return range(ROWS_TOGETHER).flatMap(code);
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at);
}
