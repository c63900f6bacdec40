/** Splits items into arrays of `size`; the last one may have fewer. */
export function* chunks<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let some: Item[] = [];
  for (const item of items) {
    if (some.push(item) < size) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
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
