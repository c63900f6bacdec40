/** An item of a tree. */
export interface TreeItem {
  id: string;
  name: string;
  children: readonly TreeItem[];
  /** Included only as context, such as the ancestors of a search hit. */
  isContext?: boolean;
}

/** A visible row of a tree. */
export interface TreeRow {
  item: TreeItem;
  /** From 1. */
  level: number;
  /** Undefined for an item without children. */
  isOpen: boolean | undefined;
  parentId: string | null;
}

/** Returns the visible rows: children of closed items are left out. */
export function rowsOf(items: readonly TreeItem[], closed: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (siblings: readonly TreeItem[], level: number, parentId: string | null) => {
    for (const item of siblings) {
      const isOpen = item.children.length === 0 ? undefined : !closed.has(item.id);
      rows.push({ item, level, isOpen, parentId });
      if (isOpen) add(item.children, level + 1, item.id);
    }
  };
  add(items, 1, null);
  return rows;
}

/** Returns the id of the row to which a key moves from the given row; undefined if it moves nowhere. */
export function stepTo(rows: readonly TreeRow[], from: TreeRow, key: string): string | undefined {
  const at = rows.indexOf(from);
  switch (key) {
    case 'ArrowDown':
      return rows[at + 1]?.item.id;
    case 'ArrowUp':
      return rows[at - 1]?.item.id;
    case 'ArrowRight':
      return from.isOpen ? from.item.children[0]?.id : undefined;
    case 'ArrowLeft':
      return from.parentId ?? undefined;
    case 'Home':
      return rows[0]?.item.id;
    case 'End':
      return rows.at(-1)?.item.id;
    default:
      return [...key].length === 1 ? nextNamed(rows, at, key) : undefined;
  }
}

function nextNamed(rows: readonly TreeRow[], at: number, letter: string): string | undefined {
  const after = [...rows.slice(at + 1), ...rows.slice(0, at)];
  const start = letter.toLowerCase();
  return after.find(({ item }) => item.name.toLowerCase().startsWith(start))?.item.id;
}
