import { readdirSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ObjectCache } from './object-cache.ts';

/** A file in one or more trees. */
interface TreeFile {
  /** All paths of the file. */
  paths: string[];
  stats: Stats;
}

/**
 * Returns the files of the asset trees that the Python package places in the cache, by `inodeOf`. Most are hard links
 * to entries, and take up no space until the entry is deleted.
 */
export function treeFiles(cache: ObjectCache): Map<string, TreeFile> {
  const trees = join(dirname(cache.folder), 'assets');
  const files = new Map<string, TreeFile>();
  for (const tree of entriesIn(trees).filter(({ name }) => /^[0-9a-f]{64}$/.test(name))) {
    for (const place of filesBelow(join(trees, tree.name), ['.bindery'])) {
      const stats = statSync(place, { throwIfNoEntry: false });
      if (stats === undefined) continue;
      const known = files.get(inodeOf(stats));
      if (known === undefined) files.set(inodeOf(stats), { paths: [place], stats });
      else known.paths.push(place);
    }
  }
  return files;
}

/** Returns a key that is the same for all names of one file. */
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
