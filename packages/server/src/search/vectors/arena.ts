import { BLOCK_BYTES } from './block.ts';

const PAGE = 65_536;

/** What 32-bit addresses reach. */
const MOST_PAGES = 65_536;

/** The memory grows by so many pages at a time. */
const GROWTH = 256;

/**
 * One shared memory, cut into blocks that are lent and given back. It grows to its capacity as blocks are needed and never
 * beyond; what was given back is lent again.
 */
export class BlockArena {
  readonly memory: WebAssembly.Memory;
  readonly maximumPages: number;
  readonly blockCount: number;
  readonly #first: number;
  readonly #free: number[] = [];
  #lentOnce = 0;

  /**
   * @param capacity bytes for blocks
   * @param reserved bytes at the start of the memory that are no blocks; a multiple of 16
   */
  constructor(capacity: number, reserved: number) {
    this.maximumPages = Math.min(MOST_PAGES, Math.ceil((capacity + reserved) / PAGE));
    this.blockCount = Math.floor((this.maximumPages * PAGE - reserved) / BLOCK_BYTES);
    this.#first = reserved;
    const initial = Math.ceil(reserved / PAGE);
    this.memory = new WebAssembly.Memory({ initial, maximum: this.maximumPages, shared: true });
  }

  /** Bytes of memory that were ever needed at once. */
  get byteLength(): number {
    return this.memory.buffer.byteLength;
  }

  get lentBlocks(): number {
    return this.#lentOnce - this.#free.length;
  }

  /** Where so many blocks start, or null where there are not so many left. */
  lend(count: number): Uint32Array | null {
    if (count > this.blockCount - this.lentBlocks) return null;
    const blocks = new Uint32Array(count);
    for (let at = 0; at < count; at++) blocks[at] = this.#free.pop() ?? this.#next();
    this.#grow();
    return blocks;
  }

  giveBack(blocks: Uint32Array): void {
    for (const block of blocks) this.#free.push(block);
  }

  #next(): number {
    const block = this.#first + this.#lentOnce * BLOCK_BYTES;
    this.#lentOnce++;
    return block;
  }

  #grow(): void {
    const missing = this.#first + this.#lentOnce * BLOCK_BYTES - this.byteLength;
    if (missing <= 0) return;
    const pages = Math.max(GROWTH, Math.ceil(missing / PAGE));
    this.memory.grow(Math.min(pages, this.maximumPages - this.byteLength / PAGE));
  }
}
