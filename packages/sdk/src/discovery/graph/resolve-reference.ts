import { folderOf } from '../paths.ts';
import type { LibraryFiles } from './library-files.ts';

/** What a reference resolves to. */
export type Resolved =
  | { readonly path: string; readonly how: 'as written' | 'letter case' | 'by its end' }
  /** A folder, with its closing slash: a model of a database, or material scripts. */
  | { readonly folder: string }
  /** Something that is not in the library: a web address, or a file that every installation of a program has. */
  | { readonly outside: true }
  | { readonly missing: true };

const MISSING: Resolved = { missing: true };
const OUTSIDE: Resolved = { outside: true };
const MAX_STEPS = 64;
/** The media folder of a Gazebo Classic installation, to which `file://` refers. */
const GAZEBO_MEDIA = /^file:\/\/media\//;

/**
 * Resolves a reference in the file `from`. It is tried as written, relative to each of `bases` (by default the folder
 * of `from`), or in packages by their name, the nearest first; then relative to every folder above, since authors name
 * packages that are elsewhere on their machines; and finally by the longest common suffix.
 */
export function resolveReference(
  files: LibraryFiles,
  from: string,
  text: string,
  bases: readonly string[] = [folderOf(from)],
): Resolved {
  if (GAZEBO_MEDIA.test(text)) return OUTSIDE;
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(text);
  const kind = scheme?.[1]?.toLowerCase();
  if (kind !== undefined && kind !== 'file' && kind !== 'package' && kind !== 'model') return OUTSIDE;
  const steps = stepsOf(scheme ? text.slice(scheme[0].length) : text);
  if (steps.length === 0 || steps.length > MAX_STEPS) return MISSING;
  const isPackage = kind === 'package' || kind === 'model';
  const direct = isPackage ? findInPackage(files, from, steps) : relative(files, bases, steps);
  return (
    direct ?? findInAncestors(files, from, steps, isPackage) ?? findBySuffix(files, from, steps) ?? MISSING
  );
}

function stepsOf(text: string): string[] {
  return text.split(/[/\\]+/).filter((step) => step !== '' && step !== '.');
}

function relative(
  files: LibraryFiles,
  bases: readonly string[],
  steps: readonly string[],
): Resolved | undefined {
  for (const base of bases) {
    const found = findAt(files, base, steps);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Looks in the folders with the package's name, starting with the one that shares most of its path with `from`. */
function findInPackage(files: LibraryFiles, from: string, steps: readonly string[]): Resolved | undefined {
  const [name = '', ...rest] = steps;
  for (const folder of nearestFirst(files.packageFolders(name), from)) {
    if (rest.length === 0) return { folder };
    const found = findAt(files, folder, rest);
    if (found !== undefined) return found;
  }
  return undefined;
}

const MAX_FOLDERS = 16;

function nearestFirst(folders: readonly string[], from: string): readonly string[] {
  if (folders.length < 2) return folders;
  return folders
    .map((folder) => ({ folder, shared: commonPrefixLength(folder, from) }))
    .sort((a, b) => b.shared - a.shared || a.folder.length - b.folder.length)
    .slice(0, MAX_FOLDERS)
    .map(({ folder }) => folder);
}

function findInAncestors(
  files: LibraryFiles,
  from: string,
  steps: readonly string[],
  isPackage: boolean,
): Resolved | undefined {
  for (let base = folderOf(from); ; base = folderOf(base.slice(0, -1))) {
    const found = findAt(files, base, steps) ?? (isPackage ? findAt(files, base, steps.slice(1)) : undefined);
    if (found !== undefined || base === '') return found;
  }
}

/** Finds the file with the longest common suffix (two segments at least, if it has as many), the nearest of several. */
function findBySuffix(files: LibraryFiles, from: string, steps: readonly string[]): Resolved | undefined {
  const wanted = steps.filter((step) => step !== '..');
  const name = wanted.at(-1);
  if (name === undefined || !name.includes('.')) return undefined;
  let best: { path: string; shared: number; near: number } | undefined;
  for (const path of files.findByName(name).slice(0, 1_000)) {
    const shared = commonSuffixLength(path.split('/'), wanted);
    const near = commonPrefixLength(path, from);
    // In another top-level folder more must match: three segments, or all of a shorter reference.
    if (shared < Math.min(wanted.length, near === 0 ? 3 : 2)) continue;
    if (best === undefined || shared > best.shared || (shared === best.shared && near > best.near)) {
      best = { path, shared, near };
    }
  }
  return best === undefined ? undefined : { path: best.path, how: 'by its end' };
}

function findAt(files: LibraryFiles, base: string, steps: readonly string[]): Resolved | undefined {
  const path = joined(base, steps);
  if (path === undefined) return undefined;
  const found = files.find(path);
  if (found !== undefined) return { path: found, how: found === path ? 'as written' : 'letter case' };
  return path !== '' && files.hasFolder(`${path}/`) ? { folder: `${path}/` } : undefined;
}

/** Joins a path below the library's folder; undefined if it leads out of it. */
function joined(base: string, steps: readonly string[]): string | undefined {
  const kept: string[] = [];
  for (const step of [...base.split('/'), ...steps]) {
    if (step === '' || step === '.') continue;
    if (step !== '..') kept.push(step);
    else if (kept.pop() === undefined) return undefined;
  }
  return kept.join('/');
}

/** Returns the number of leading segments that two paths share. */
function commonPrefixLength(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')];
  let length = 0;
  while (length < Math.min(left.length, right.length) && left[length] === right[length]) length++;
  return length;
}

function commonSuffixLength(a: readonly string[], b: readonly string[]): number {
  let length = 0;
  while (
    length < Math.min(a.length, b.length) &&
    a.at(-1 - length)?.toLowerCase() === b.at(-1 - length)?.toLowerCase()
  ) {
    length++;
  }
  return length;
}
