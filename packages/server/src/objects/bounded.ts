/** Runs `task` over all items, at most `limit` at a time. The first failure stops new ones and is thrown. */
export async function forEachBounded<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  limit: number,
  task: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let failed = false;
  const lane = async () => {
    for (let next = await iterator.next(); !next.done && !failed; next = await iterator.next()) {
      try {
        await task(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: limit }, lane));
  if (failed) await iterator.return?.();
  for (const outcome of lanes) if (outcome.status === 'rejected') throw outcome.reason;
}
