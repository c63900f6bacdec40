import type { Matches } from '../globs/glob.ts';
import type { ScannedFile } from '../tree/scan.ts';

/** Files that make one asset by where they lie: a folder (`root` ends with a slash) or a loose file. */
export interface Group {
  root: string;
  files: ScannedFile[];
}

/**
 * Files by the folder or file that makes them an asset: the deepest one that is chosen, by default the top-level folder
 * or the loose file itself. Files in nothing that is chosen are in no group.
 */
export function groupFiles(files: readonly ScannedFile[], chosen: Matches | null): Group[] {
  const groups = new Map<string, Group>();
  for (const file of files) {
    const root = chosen === null ? topLevel(file.path) : deepestChosen(file.path, chosen);
    if (root === null) continue;
    const group = groups.get(root);
    if (group === undefined) groups.set(root, { root, files: [file] });
    else group.files.push(file);
  }
  return [...groups.values()];
}

/** The name of a group as its folder or file has it: `robots/arm/` → `arm`. */
export function groupName(root: string): string {
  const bare = groupPath(root);
  return bare.slice(bare.lastIndexOf('/') + 1);
}

export function groupPath(root: string): string {
  return root.endsWith('/') ? root.slice(0, -1) : root;
}

function topLevel(path: string): string {
  return path.slice(0, path.indexOf('/') + 1) || path;
}

function deepestChosen(path: string, chosen: Matches): string | null {
  if (chosen(path)) return path;
  for (let at = path.lastIndexOf('/'); at >= 0; at = path.lastIndexOf('/', at - 1)) {
    if (chosen(path.slice(0, at))) return path.slice(0, at + 1);
    if (at === 0) return null;
  }
  return null;
}
