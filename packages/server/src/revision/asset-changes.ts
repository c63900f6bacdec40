import type { Sections } from './sections.ts';
import { TextColumn } from './text-column.ts';

/** How many assets a revision adds, removes and changes, compared with the revision before. */
export interface AssetChanges {
  added: number;
  removed: number;
  changed: number;
}

/** Compares two asset tables, both sorted by id; if there is no earlier one, everything is added. */
export function compareAssets(before: Sections | null, after: Sections): AssetChanges {
  const later = columnsOf(after);
  if (before === null) return { added: later.ids.length, removed: 0, changed: 0 };
  const earlier = columnsOf(before);
  let [at, old, both, changed] = [0, 0, 0, 0];
  while (at < later.ids.length && old < earlier.ids.length) {
    const order = later.ids.compare(at, earlier.ids, old);
    if (order === 0) {
      both += 1;
      if (!isSame(later, at, earlier, old)) changed += 1;
    }
    if (order <= 0) at += 1;
    if (order >= 0) old += 1;
  }
  return { added: later.ids.length - both, removed: earlier.ids.length - both, changed };
}

interface Columns {
  ids: TextColumn;
  /** All other columns of an asset; the first contains the digest of its files. */
  said: TextColumn[];
}

function columnsOf(sections: Sections): Columns {
  return {
    ids: new TextColumn(sections, 'assets.ids'),
    said: ['assets.cards', 'assets.remainders'].map((name) => new TextColumn(sections, name)),
  };
}

function isSame(one: Columns, at: number, other: Columns, otherAt: number): boolean {
  return one.said.every(
    (column, place) => column.compare(at, other.said[place] as TextColumn, otherAt) === 0,
  );
}
