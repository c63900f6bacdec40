/** Files up to this size are verified in memory, before any of their bytes is written. Bundles are no larger. */
export const MAX_IN_MEMORY = 4 * 1024 * 1024;

/** Memory in which contents arrive. It is shared with threads. */
export type ContentBuffer = Buffer<SharedArrayBuffer>;

/** Pools buffers of `MAX_IN_MEMORY` bytes: new ones for all contents would keep the garbage collector busy. */
export class ContentBufferPool {
  readonly #free: ContentBuffer[] = [];

  async use<T>(work: (memory: ContentBuffer) => Promise<T>): Promise<T> {
    const memory = this.#free.pop() ?? Buffer.from(new SharedArrayBuffer(MAX_IN_MEMORY));
    try {
      return await work(memory);
    } finally {
      this.#free.push(memory);
    }
  }
}
