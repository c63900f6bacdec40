/**
 * Runs `work` over all items, at most `limit` at a time, in order. The first failure, of the items themselves too, stops
 * the rest: what runs is told by the signal, and is waited for.
 */
export async function inParallel<T>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  signal: AbortSignal | undefined,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const controller = new AbortController();
  const both = signal ? AbortSignal.any([signal, controller.signal]) : controller.signal;
  const queue = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let failure: { error: unknown } | undefined;

  async function lane(): Promise<void> {
    try {
      for (let next = await queue.next(); !next.done; next = await queue.next()) {
        both.throwIfAborted();
        await work(next.value, both);
      }
    } catch (error) {
      failure ??= { error };
      controller.abort(error);
    }
  }

  await Promise.all(Array.from({ length: limit }, lane));
  if (failure) throw failure.error;
}
