/** Up to this size a file is verified in memory, before any of it is written. Bundles are no larger. */
export const IN_MEMORY = 4 * 1024 * 1024;

/** What contents arrive in. Threads see it too. */
export type ContentMemory = Buffer<SharedArrayBuffer>;

/** Memory of `IN_MEMORY` bytes each, filled again and again: new memory for all contents would keep the garbage collector busy. */
export class ContentMemories {
  readonly #free: ContentMemory[] = [];

  async use<T>(work: (memory: ContentMemory) => Promise<T>): Promise<T> {
    const memory = this.#free.pop() ?? Buffer.from(new SharedArrayBuffer(IN_MEMORY));
    try {
      return await work(memory);
    } finally {
      this.#free.push(memory);
    }
  }
}
