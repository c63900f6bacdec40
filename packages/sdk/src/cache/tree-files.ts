import { readdirSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ObjectCache } from './object-cache.ts';

/** A file of one or more trees. */
interface TreeFile {
  /** Everywhere that it lies. */
  places: string[];
  stats: Stats;
}

/**
 * The files of assets that lie side by side in the cache, as the Python package places them: most are hard links of
 * entries, and take no space until the entry is removed. By `inodeOf`.
 */
export function treeFiles(cache: ObjectCache): Map<string, TreeFile> {
  const trees = join(dirname(cache.folder), 'assets');
  const files = new Map<string, TreeFile>();
  for (const tree of entriesIn(trees).filter(({ name }) => /^[0-9a-f]{64}$/.test(name))) {
    for (const place of filesBelow(join(trees, tree.name), ['.bindery'])) {
      const stats = statSync(place, { throwIfNoEntry: false });
      if (stats === undefined) continue;
      const known = files.get(inodeOf(stats));
      if (known === undefined) files.set(inodeOf(stats), { places: [place], stats });
      else known.places.push(place);
    }
  }
  return files;
}

/** What tells whether two names are one file. */
export function inodeOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}

function filesBelow(folder: string, but: readonly string[] = []): string[] {
  return entriesIn(folder).flatMap((entry) => {
    if (but.includes(entry.name)) return [];
    if (entry.isDirectory()) return filesBelow(join(folder, entry.name));
    return entry.isFile() ? [join(folder, entry.name)] : [];
  });
}

function entriesIn(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
