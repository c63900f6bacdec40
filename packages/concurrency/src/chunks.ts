/** Splits a list into parts of `size` elements; the last one may have fewer. */
export function* chunks<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

/** As `chunks`, for items that arrive one at a time. */
export async function* arrivingChunks<Item>(
  items: AsyncIterable<Item>,
  size: number,
): AsyncGenerator<Item[]> {
  let some: Item[] = [];
  for await (const item of items) {
    if (some.push(item) < size) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}
