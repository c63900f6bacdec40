import { AssetProcessPool, type ProcessLimits } from './asset-process-pool.ts';
import { toMessageText } from './files.ts';
import type { RenderTask } from './render-task.ts';
import type { Thumbnail, ThumbnailRequest } from './thumbnail.ts';

export interface ThumbnailPool extends AsyncDisposable {
  /**
   * Like `renderThumbnail`, but in a separate process, after waiting in a queue. An asset that takes too much time or
   * memory, or crashes that process, yields a warning. Throws `RangeError` if too many assets are waiting.
   */
  render(request: ThumbnailRequest): Promise<Thumbnail>;
  /** Stops the processes; assets that are waiting or being drawn yield a warning. */
  close(): Promise<void>;
}

export function createThumbnailPool(bounds: ProcessLimits): ThumbnailPool {
  const processes = new AssetProcessPool(new URL('./thumbnail-process.ts', import.meta.url), bounds, 'drew');

  async function render({ kind, format, entry, files, limits }: ThumbnailRequest): Promise<Thumbnail> {
    const value: RenderTask = { kind, format, entry, sizes: files.sizes, limits };
    const answer = async (path: string) => new Uint8Array(await withReadableError(() => files.read(path)));
    return processes
      .run<Thumbnail>({ value, answer })
      .catch((error) => ({ warning: processes.failureOf(error), transient: true }));
  }

  return { render, close: () => processes.close(), [Symbol.asyncDispose]: () => processes.close() };
}

/** Makes the message of a failed read fit to be shown to people. */
async function withReadableError(read: () => Promise<Uint8Array>): Promise<Uint8Array> {
  try {
    return await read();
  } catch (error) {
    throw new Error(toMessageText(error instanceof Error ? error.message : String(error)));
  }
}
