import { type Arc, type Field, ListEdits } from './values.ts';

/** Returns the list that edits make, strongest first. `keyOf` tells which items are the same. */
export function composed<Item>(
  edits: readonly ListEdits<Item>[],
  keyOf: (item: Item) => unknown,
): readonly Item[] {
  let list = new Map<unknown, Item>();
  for (const edit of edits.toReversed()) {
    if (edit.explicit !== undefined) list = keyed(edit.explicit, keyOf);
    for (const item of edit.deleted) list.delete(keyOf(item));
    for (const item of edit.added) if (!list.has(keyOf(item))) list.set(keyOf(item), item);
    if (edit.prepended.length > 0) {
      const front = keyed(edit.prepended, keyOf);
      for (const [key, item] of list) if (!front.has(key)) front.set(key, item);
      list = front;
    }
    for (const [key, item] of keyed(edit.appended, keyOf)) {
      list.delete(key);
      list.set(key, item);
    }
    if (edit.ordered.length > 0) list = ordered(list, edit.ordered.map(keyOf));
  }
  return [...list.values()];
}

function keyed<Item>(items: readonly Item[], keyOf: (item: Item) => unknown): Map<unknown, Item> {
  const list = new Map<unknown, Item>();
  for (const item of items) if (!list.has(keyOf(item))) list.set(keyOf(item), item);
  return list;
}

/** Sorts a list: what is not named in `order` stays behind what it follows. */
export function ordered<Key, Item>(list: ReadonlyMap<Key, Item>, order: readonly Key[]): Map<Key, Item> {
  const known = new Set(order.filter((key) => list.has(key)));
  const groups = new Map<Key, [Key, Item][]>();
  let group: [Key, Item][] = [];
  const before = group;
  for (const entry of list) {
    if (known.has(entry[0])) {
      group = [];
      groups.set(entry[0], group);
    }
    group.push(entry);
  }
  return new Map([...before, ...[...known].flatMap((key) => groups.get(key) ?? [])]);
}

/** Reads a field as edits of texts: names, or paths. */
export function textEdits(field: Field | undefined): ListEdits<string> | undefined {
  if (typeof field === 'string') return new ListEdits([field]);
  const edits = Array.isArray(field) ? new ListEdits<unknown>(field) : field;
  return isListOf(edits, (item): item is string => typeof item === 'string') ? edits : undefined;
}

/** Reads a field as edits of references or payloads. */
export function arcEdits(field: Field | undefined): ListEdits<Arc> | undefined {
  const isArc = (item: unknown): item is Arc => typeof item === 'object' && item !== null && 'prim' in item;
  return isListOf(field, isArc) ? field : undefined;
}

function isListOf<Item>(edits: unknown, isItem: (item: unknown) => item is Item): edits is ListEdits<Item> {
  return edits instanceof ListEdits && edits.everything.every(isItem);
}
