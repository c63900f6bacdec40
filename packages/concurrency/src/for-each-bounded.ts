import pMap from 'p-map';

export interface ForEachOptions {
  /** How many items are processed at a time. */
  concurrency: number;
  signal?: AbortSignal | undefined;
}

/**
 * Calls `work` for all items, starting in order. The first failure, including one of the iterable, or an abort of
 * `signal` stops the rest: running calls are notified through their own signal and awaited, then the failure is thrown.
 */
export async function forEachBounded<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  { concurrency, signal }: ForEachOptions,
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const controller = new AbortController();
  const either = signal ? AbortSignal.any([signal, controller.signal]) : controller.signal;
  const running = new Set<Promise<void>>();
  const start = async (item: Item) => {
    const task = work(item, either);
    running.add(task);
    await task;
    running.delete(task);
  };
  try {
    await pMap(items, start, { concurrency, ...(signal && { signal }) });
  } catch (error) {
    controller.abort(error);
    await Promise.allSettled(running);
    throw error;
  }
}
