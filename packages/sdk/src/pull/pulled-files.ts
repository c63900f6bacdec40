import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { removeOlderThan, writeFileAtomically } from '../tree/files.ts';
import type { TargetFile } from './select-files.ts';

const KEPT_DAYS = 90;
/** Maximum bytes of lists to read: a few hundred thousand files. */
const MAX_READ = 32 * 1024 * 1024;

/** Files that pulls put into one folder. Only a hint, since they might have changed. */
interface PulledFiles {
  root: string;
  /** Paths and SHA-256. */
  files: [path: string, sha256: string][];
}

/** Records files that a pull put into a folder without caching them. */
export function recordPulledFiles(cacheFolder: string, root: string, files: readonly TargetFile[]): void {
  if (files.length === 0) return;
  const list = join(listsIn(cacheFolder), `${hash('sha256', root).slice(0, 32)}.json`);
  const pulled = new Map(readList(list)?.files);
  for (const { path, sha256 } of files) pulled.set(path, sha256);
  try {
    if (!existsSync(list)) removeOlderThan(dirname(list), KEPT_DAYS);
    writeFileAtomically(list, JSON.stringify({ root, files: [...pulled] } satisfies PulledFiles));
  } catch {
    // The next pull downloads them again.
  }
}

/** Returns the paths of wanted content that pulls put into folders, by SHA-256, the most recent pull first. */
export function findPulledFiles(cacheFolder: string, wanted: ReadonlySet<string>): Map<string, string[]> {
  const found = new Map<string, string[]>();
  let left = MAX_READ;
  for (const { list, size } of newestFirst(listsIn(cacheFolder))) {
    left -= size;
    if (left < 0) break;
    const { root, files } = readList(list) ?? { root: '', files: [] };
    for (const [path, sha256] of files) {
      if (!wanted.has(sha256)) continue;
      const places = found.get(sha256) ?? [];
      places.push(join(root, path));
      found.set(sha256, places);
    }
  }
  return found;
}

function listsIn(cacheFolder: string): string {
  return join(cacheFolder, 'pulled');
}

function readList(list: string): PulledFiles | null {
  try {
    const { root, files } = JSON.parse(readFileSync(list, 'utf8')) as Partial<PulledFiles>;
    const isList = Array.isArray(files) && files.every((file) => Array.isArray(file) && file.every(isText));
    return isText(root) && isList ? { root, files } : null;
  } catch {
    return null;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function newestFirst(folder: string): { list: string; size: number }[] {
  try {
    return readdirSync(folder)
      .map((name) => join(folder, name))
      .flatMap((list) => {
        const stats = statSync(list, { throwIfNoEntry: false });
        return stats ? [{ list, size: stats.size, mtimeMs: stats.mtimeMs }] : [];
      })
      .sort((a, b) => b.mtimeMs - a.mtimeMs);
  } catch {
    return [];
  }
}
