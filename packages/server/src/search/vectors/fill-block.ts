import { readWhole } from '../../libraries/revision/matrix-rows.ts';
import type { OwnedRow } from '../../libraries/revision/sidecar-rows.ts';
import { BLOCK_ROWS, type Block, COARSE_BYTES, DIMENSIONS, FINE_BYTES } from './block.ts';
import { RowQuantiser } from './quantise.ts';
import type { Lost } from './scan.ts';

/** Quantises rows of a matrix into blocks. Holds its thread. */
export class BlockFiller {
  readonly #matrix: number;
  readonly #numbers = new Float32Array(BLOCK_ROWS * DIMENSIONS);
  readonly #quantiser = new RowQuantiser();
  readonly #squares: Lost = { coarse: 0, fine: 0 };
  #count = 0;

  /** @param matrix the open file of 32-bit floats, every row of which can be compared */
  constructor(matrix: number) {
    this.#matrix = matrix;
  }

  /** What rows lost so far, in root mean squares. */
  get lost(): Lost {
    const mean = (square: number) => Math.sqrt(square / Math.max(1, this.#count));
    return { coarse: mean(this.#squares.coarse), fine: mean(this.#squares.fine) };
  }

  /** Writes at most `BLOCK_ROWS` rows. Those that follow one another in the file are read at once. */
  fill(block: Block, owned: readonly OwnedRow[]): void {
    for (let at = 0; at < owned.length; ) at += this.#fillRun(block, owned, at);
    owned.forEach(({ asset, row }, at) => {
      block.rows[at] = row;
      block.assets[at] = asset;
    });
  }

  #fillRun(block: Block, owned: readonly OwnedRow[], start: number): number {
    const first = (owned[start] as OwnedRow).row;
    let count = 1;
    while (owned[start + count]?.row === first + count) count++;
    const numbers = this.#numbers.subarray(0, count * DIMENSIONS);
    readWhole(this.#matrix, numbers, first * DIMENSIONS * numbers.BYTES_PER_ELEMENT);
    for (let at = 0; at < count; at++) {
      this.#setRow(block, start + at, numbers.subarray(at * DIMENSIONS, (at + 1) * DIMENSIONS));
    }
    return count;
  }

  #setRow(block: Block, place: number, row: Float32Array): void {
    const { coarse, fine } = this.#quantiser.quantise(
      row,
      block.coarse.subarray(place * COARSE_BYTES, (place + 1) * COARSE_BYTES),
      block.fine.subarray(place * FINE_BYTES, (place + 1) * FINE_BYTES),
    );
    block.coarseScales[place] = coarse.scale;
    block.fineScales[place] = fine.scale;
    this.#squares.coarse += coarse.lost ** 2;
    this.#squares.fine += fine.lost ** 2;
    this.#count++;
  }
}
