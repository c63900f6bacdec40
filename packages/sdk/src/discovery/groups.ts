import type { PathMatcher } from '../globs/glob.ts';
import type { ListedFile } from './file-reader.ts';

/** Files that `discover.assets` makes one asset: those of a folder (`root` ends with a slash) or a single file. */
export interface Group {
  root: string;
  /** Paths. */
  files: string[];
}

/** Groups files by the deepest chosen path: the file itself or a folder above it. Other files are in no group. */
export function groupFiles(files: readonly ListedFile[], chosen: PathMatcher): Group[] {
  const groups = new Map<string, Group>();
  for (const { path } of files) {
    const root = deepestChosen(path, chosen);
    if (root === null) continue;
    const group = groups.get(root);
    if (group === undefined) groups.set(root, { root, files: [path] });
    else group.files.push(path);
  }
  return [...groups.values()];
}

function deepestChosen(path: string, chosen: PathMatcher): string | null {
  if (chosen(path)) return path;
  for (let at = path.lastIndexOf('/'); at >= 0; at = path.lastIndexOf('/', at - 1)) {
    if (chosen(path.slice(0, at))) return path.slice(0, at + 1);
    if (at === 0) return null;
  }
  return null;
}
