import { BLOCK_BYTES } from '../../revision/vectors/block.ts';

/**
 * Shared memory in blocks that are lent by their numbers and given back. A block has memory from when it is first lent:
 * the system counts what is not written yet too, and starts no process beside one whose memory would not fit twice. What
 * was given back is lent again first.
 */
export class BlockPool {
  /** By number; the same for as long as the pool is used, so that workers are given them once. */
  readonly blocks: readonly SharedArrayBuffer[];
  readonly #free: number[] = [];
  #lentOnce = 0;

  /** @param capacity bytes for blocks at most */
  constructor(capacity: number) {
    const count = Math.floor(capacity / BLOCK_BYTES);
    const bounds = { maxByteLength: BLOCK_BYTES };
    this.blocks = Array.from({ length: count }, () => new SharedArrayBuffer(0, bounds));
  }

  /** Bytes of memory that were ever needed at once. */
  get byteLength(): number {
    return this.#lentOnce * BLOCK_BYTES;
  }

  get lentBlocks(): number {
    return this.#lentOnce - this.#free.length;
  }

  hasRoom(count: number): boolean {
    return count <= this.blocks.length - this.lentBlocks;
  }

  /** The numbers of this many blocks, or null if too few are left. */
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
