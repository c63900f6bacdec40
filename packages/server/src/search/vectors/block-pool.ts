import { BLOCK_BYTES } from '../../revision/vectors/block.ts';

/**
 * Shared memory in blocks, which are lent by number and returned. A block's memory is allocated when it is first lent:
 * the operating system counts memory that has not been written to as well, and refuses to fork if the memory of this
 * process would not fit twice. Returned blocks are reused first.
 */
export class BlockPool {
  /** By number. The array never changes while the pool is in use, so workers receive it only once. */
  readonly blocks: readonly SharedArrayBuffer[];
  readonly #free: number[] = [];
  #lentOnce = 0;

  /** @param capacity maximum size of all blocks in bytes */
  constructor(capacity: number) {
    const count = Math.floor(capacity / BLOCK_BYTES);
    const bounds = { maxByteLength: BLOCK_BYTES };
    this.blocks = Array.from({ length: count }, () => new SharedArrayBuffer(0, bounds));
  }

  /** The largest number of bytes that was ever lent at once. */
  get byteLength(): number {
    return this.#lentOnce * BLOCK_BYTES;
  }

  get lentBlocks(): number {
    return this.#lentOnce - this.#free.length;
  }

  hasRoom(count: number): boolean {
    return count <= this.blocks.length - this.lentBlocks;
  }

  /** Returns the numbers of `count` blocks, or null if too few are free. */
  lend(count: number): Uint32Array | null {
    if (!this.hasRoom(count)) return null;
    return Uint32Array.from({ length: count }, () => this.#free.pop() ?? this.#firstLent());
  }

  giveBack(blocks: Uint32Array): void {
    for (const block of blocks) this.#free.push(block);
  }

  #firstLent(): number {
    const number = this.#lentOnce++;
    (this.blocks[number] as SharedArrayBuffer).grow(BLOCK_BYTES);
    return number;
  }
}
