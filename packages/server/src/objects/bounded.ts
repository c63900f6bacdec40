/** Runs `task` over all items, at most `limit` at a time. The first failure stops new ones and is thrown. */
export async function forEachBounded<Item>(
  items: Iterable<Item>,
  limit: number,
  task: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let failed = false;
  const lane = async () => {
    for (let next = iterator.next(); !next.done && !failed; next = iterator.next()) {
      try {
        await task(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: limit }, lane));
  for (const outcome of lanes) if (outcome.status === 'rejected') throw outcome.reason;
}
