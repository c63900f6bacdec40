import { BLOCK_BYTES } from '../../revision/vectors/block.ts';

/**
 * Shared memory in blocks that are lent by their numbers and given back. The system gives a block memory when it is first
 * written; low numbers are lent first, so that what was given back is used again before that.
 */
export class BlockPool {
  /** By number; the same for as long as the pool is used, so that workers are given them once. */
  readonly blocks: readonly SharedArrayBuffer[];
  readonly #free: number[] = [];
  #lentOnce = 0;

  /** @param capacity bytes for blocks at most */
  constructor(capacity: number) {
    const count = Math.floor(capacity / BLOCK_BYTES);
    this.blocks = Array.from({ length: count }, () => new SharedArrayBuffer(BLOCK_BYTES));
  }

  /** Bytes of memory that were ever needed at once. */
  get byteLength(): number {
    return this.#lentOnce * BLOCK_BYTES;
  }

  get lentBlocks(): number {
    return this.#lentOnce - this.#free.length;
  }

  /** The numbers of this many blocks, or null if too few are left. */
  lend(count: number): Uint32Array | null {
    if (count > this.blocks.length - this.lentBlocks) return null;
    return Uint32Array.from({ length: count }, () => this.#free.pop() ?? this.#lentOnce++);
  }

  giveBack(blocks: Uint32Array): void {
    for (const block of blocks) this.#free.push(block);
  }
}
