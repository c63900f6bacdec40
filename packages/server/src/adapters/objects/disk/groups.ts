/** Splits items into groups of `count`, the last one smaller. */
export function* inGroups<Item>(items: Iterable<Item>, count: number): Generator<Item[]> {
  let group: Item[] = [];
  for (const item of items) {
    group.push(item);
    if (group.length < count) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
