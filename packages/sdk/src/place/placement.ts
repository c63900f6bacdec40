import { dirname } from 'node:path';
import { TaskThread } from '@bindery/concurrency/task-thread';
import type { FileIdentity } from '../tree/file-identity.ts';
import type { PlaceRequest, PlaceResult, PlaceThreadData } from './place-thread.ts';
import { type Placer, placeContent } from './placer.ts';
import { type TargetFile, totalOf } from './written-files.ts';

/** From these totals on, a thread saves more time than it takes to start. */
const WORTH_A_THREAD = { files: 500, bytes: 16 * 1024 * 1024 };

const THREAD = { entry: new URL('./place-thread.ts', import.meta.url), heapMegabytes: 128 };

/** A complete content, unverified, at offset `at` of a memory. */
export interface ArrivedContent {
  file: TargetFile;
  at: number;
}

type PlacementParts = Pick<Placer, 'folder' | 'partials' | 'cache'>;

/** Verifies contents and moves the correct ones into place, in a thread if there are many, while others arrive. */
export class Placement {
  readonly #parts: PlacementParts;
  readonly #thread: TaskThread | null;

  private constructor(parts: PlacementParts, thread: TaskThread | null) {
    this.#parts = parts;
    this.#thread = thread;
  }

  /** Opens a placement for the given files, each of which can be verified in memory. */
  static open(files: readonly TargetFile[], parts: PlacementParts): Placement {
    const { bytes } = totalOf(files);
    const isWorthIt = files.length >= WORTH_A_THREAD.files || bytes >= WORTH_A_THREAD.bytes;
    if (!isWorthIt) return new Placement(parts, null);
    const workerData: PlaceThreadData = {
      folder: parts.folder.toHandle(),
      cacheFolder: parts.cache && dirname(parts.cache.folder),
    };
    return new Placement(parts, new TaskThread({ ...THREAD, workerData }));
  }

  /**
   * Returns the files whose content does not match their manifest. If a content cannot be moved into place, throws the
   * reason after calling `onPlaced` for those before it.
   */
  async place(
    contents: readonly ArrivedContent[],
    memory: ContentBuffer,
    onPlaced: (file: TargetFile, identity: FileIdentity) => void,
  ): Promise<TargetFile[]> {
    const { partials } = this.#parts;
    const claimed: (ArrivedContent & { name: string })[] = [];
    try {
      for (const { file, at } of contents) claimed.push({ file, at, name: partials.claim(file) });
      const answer = await this.#placeInThread(claimed, memory);
      const wrong: TargetFile[] = [];
      for (const [nth, { file, at, name }] of claimed.entries()) {
        const outcome =
          answer[nth] ?? this.#placeOnThisThread(file, name, memory.subarray(at, at + file.size));
        if (outcome === 'wrong') wrong.push(file);
        else onPlaced(file, outcome);
      }
      return wrong;
    } finally {
      for (const { name } of claimed) partials.release(name);
    }
  }

  async close(): Promise<void> {
    await this.#thread?.close();
  }

  /** Returns nothing if the thread has ended. The caller then does the rest and gets the error of what fails. */
  async #placeInThread(
    contents: readonly (ArrivedContent & { name: string })[],
    memory: ContentBuffer,
  ): Promise<PlaceResult> {
    if (this.#thread === null) return [];
    const request: PlaceRequest = {
      memory: memory.buffer,
      contents: contents.map(({ file: { path, sha256, size }, at, name }) => ({
        path,
        sha256,
        size,
        at,
        name,
      })),
    };
    return this.#thread.run<PlaceResult>(request).catch(() => []);
  }

  #placeOnThisThread(file: TargetFile, name: string, content: Buffer): FileIdentity | 'wrong' {
    const { folder, cache } = this.#parts;
    // A thread that ended might have left it.
    if (this.#thread !== null) folder.removeSibling(file.path, name);
    return placeContent(file, name, content, { folder, cache });
  }
}

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
