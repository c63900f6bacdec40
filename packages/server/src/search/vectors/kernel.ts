import { BLOCK_ROWS, CODES_AT, DIMENSIONS, SCALES_AT } from './block.ts';
import { type Code, encodeModule, LOCAL_TYPES, op } from './wasm-module.ts';

/** Numbers that one instruction multiplies. */
const LANES = 16;

/** Rows that are worked on together, so that a piece of the query is read once for all of them. */
const ROWS_TOGETHER = 4;

export interface Kernel {
  /**
   * Estimates the dot product of a query with every row of a block.
   * @param block where the block starts in memory
   * @param query where the query stands: one signed byte per dimension
   * @param bias 64 times the sum of the query's bytes, since a code of 64 stands for zero
   * @param scores where to write one 32-bit float per row, in units of the query's step
   */
  scoreBlock(block: number, query: number, bias: number, scores: number): void;
}

const [BLOCK, QUERY, BIAS, SCORES] = [0, 1, 2, 3];
const PARAMETERS = 4;
const CODES = 4;
const SCALES = 5;
const ROWS_LEFT = 6;
const PIECE = 7;
const FIRST_SUM = 8;

/** The program for a memory of so many pages at most. */
export function kernelProgram(maximumPages: number): Uint8Array<ArrayBuffer> {
  const scoreBlock = {
    name: 'scoreBlock',
    parameters: PARAMETERS,
    locals: [
      { count: 3, type: LOCAL_TYPES.i32 },
      { count: 1 + ROWS_TOGETHER, type: LOCAL_TYPES.v128 },
    ],
    body: [
      ...[...op.get(BLOCK), ...op.constant(CODES_AT), ...op.add, ...op.set(CODES)],
      ...[...op.get(BLOCK), ...op.constant(SCALES_AT), ...op.add, ...op.set(SCALES)],
      ...[...op.constant(BLOCK_ROWS), ...op.set(ROWS_LEFT)],
      ...op.repeatWhile([
        ...rows((row) => [...op.zeroVector, ...op.set(FIRST_SUM + row)]),
        ...pieces((offset) => [
          ...[...op.get(QUERY), ...op.loadVector(offset), ...op.set(PIECE)],
          ...rows((row) => addProducts(row, offset)),
        ]),
        ...rows(storeScore),
        ...advance(CODES, ROWS_TOGETHER * DIMENSIONS),
        ...advance(SCALES, ROWS_TOGETHER * 4),
        ...advance(SCORES, ROWS_TOGETHER * 4),
        ...advance(ROWS_LEFT, -ROWS_TOGETHER),
        ...op.get(ROWS_LEFT),
      ]),
    ],
  };
  return encodeModule([scoreBlock], maximumPages);
}

function addProducts(row: number, offset: number): Code {
  const sum = FIRST_SUM + row;
  const codes = [...op.get(CODES), ...op.loadVector(row * DIMENSIONS + offset)];
  return [...op.get(PIECE), ...codes, ...op.get(sum), ...op.dotAdd, ...op.set(sum)];
}

/** score = (sum of the four lanes - bias) × scale */
function storeScore(row: number): Code {
  const sum = FIRST_SUM + row;
  const lane = (number: number) => [...op.get(sum), ...op.lane(number)];
  return [
    ...op.get(SCORES),
    ...[...lane(0), ...lane(1), ...op.add, ...lane(2), ...op.add, ...lane(3), ...op.add],
    ...[...op.get(BIAS), ...op.subtract, ...op.toFloat],
    ...[...op.get(SCALES), ...op.loadFloat(row * 4), ...op.multiplyFloat],
    ...op.storeFloat(row * 4),
  ];
}

function advance(local: number, by: number): Code {
  return [...op.get(local), ...op.constant(by), ...op.add, ...op.set(local)];
}

function rows(code: (row: number) => Code): Code {
  return Array.from({ length: ROWS_TOGETHER }, (_, row) => code(row)).flat();
}

function pieces(code: (offset: number) => Code): Code {
  return Array.from({ length: DIMENSIONS / LANES }, (_, piece) => code(piece * LANES)).flat();
}
