import type { FileIndex } from './file-index.ts';
import { baseName, folderOf } from './paths.ts';
import { percentDecoded } from './text.ts';

export type ReferenceRole = 'include' | 'model' | 'mesh' | 'texture' | 'data';

/** A reference from one file to another. */
export interface Reference {
  /** As written, after decoding what the format encodes. */
  readonly text: string;
  readonly role: ReferenceRole;
  /** Only running a macro processor tells what is meant. */
  readonly isComputed?: true;
  /** Programs may bring it along, such as renderers their shaders: what is not there is not missing. */
  readonly isStock?: true;
  /** Line number, counted from 1; absent if the format has no lines. */
  readonly line?: number | undefined;
}

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
/** Models of Gazebo's own database, which every world names and its installation finds by itself. */
const GAZEBO_STOCK = /^model:\/\/(?:sun|ground_plane)\/?$/;

/**
 * Resolves a reference in the file `from`. It is tried as written, relative to each of `bases` (by default the folder
 * of `from`), or in packages and models by their name, the nearest first. What is not there is then looked for where
 * authors' machines had it: relative to every folder above, in the checkout that the library is, by the longest
 * common suffix, and by its name alone next to the file or,
 * for pictures, near it. A package or model that exists is never left: what it lacks is missing, whatever others have.
 */
export function resolveReference(
  files: FileIndex,
  from: string,
  text: string,
  bases: readonly string[] = [folderOf(from)],
): Resolved {
  if (GAZEBO_MEDIA.test(text)) return OUTSIDE;
  const found = resolveExactly(files, from, text, bases);
  if (!('missing' in found)) return found;
  const decoded = percentDecoded(text);
  const again = decoded === text ? found : resolveExactly(files, from, decoded, bases);
  return 'missing' in again && GAZEBO_STOCK.test(text) ? OUTSIDE : again;
}

/** In macros `file://` stands in front of the folder of a package. */
const FILE_BEFORE_PACKAGE = /^file:\/\/(?=package:\/\/)/i;

function resolveExactly(files: FileIndex, from: string, written: string, bases: readonly string[]): Resolved {
  const text = written.replace(FILE_BEFORE_PACKAGE, '');
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(text);
  const kind = scheme?.[1]?.toLowerCase();
  if (kind !== undefined && kind !== 'file' && kind !== 'package' && kind !== 'model') return OUTSIDE;
  const steps = stepsOf(scheme ? text.slice(scheme[0].length) : text);
  if (steps.length === 0 || steps.length > MAX_STEPS) return MISSING;
  if (kind === 'package' || kind === 'model') return resolveInPackage(files, from, steps);
  return (
    relative(files, bases, steps) ??
    findInAncestors(files, foldersAbove(from), steps) ??
    findInCheckout(files, bases, steps) ??
    findDeclared(files, from, steps) ??
    findBySuffix(files, from, steps, likeness(files, from, steps)) ??
    findBeside(files, bases, steps) ??
    findPicture(files, from, steps) ??
    MISSING
  );
}

function stepsOf(text: string): string[] {
  return text.split(/[/\\]+/).filter((step) => step !== '' && step !== '.');
}

function relative(
  files: FileIndex,
  bases: readonly string[],
  steps: readonly string[],
): Resolved | undefined {
  for (const base of bases) {
    const found = findAt(files, base, steps);
    if (found !== undefined) return found;
  }
  return undefined;
}

function resolveInPackage(files: FileIndex, from: string, steps: readonly string[]): Resolved {
  const [name = '', ...rest] = steps;
  const folders = files.packageFolders(name);
  for (const folder of nearestFirst(files, folders, from)) {
    if (rest.length === 0) return { folder };
    const found = findAt(files, folder, rest);
    if (found !== undefined) return found;
  }
  const declared = folders.filter((folder) => files.isDeclared(folder));
  if (declared.length > 0) {
    return findBySuffix(files, from, rest, (path) => declared.some((one) => path.startsWith(one))) ?? MISSING;
  }
  return (
    findInAncestors(files, foldersAbove(from), steps) ??
    findInAncestors(files, likelyPackagesOf(from), rest) ??
    findBySuffix(files, from, steps, likeness(files, from, steps)) ??
    MISSING
  );
}

const MAX_FOLDERS = 16;

/** Sorts folders: the package that `from` is in, then those that share most of its path. */
function nearestFirst(files: FileIndex, folders: readonly string[], from: string): readonly string[] {
  if (folders.length < 2) return folders;
  const isOwn = (folder: string) => from.startsWith(folder) && files.isDeclared(folder);
  return folders
    .map((folder) => ({ folder, own: isOwn(folder) ? 1 : 0, shared: commonPrefixLength(folder, from) }))
    .sort((a, b) => b.own - a.own || b.shared - a.shared || a.folder.length - b.folder.length)
    .slice(0, MAX_FOLDERS)
    .map(({ folder }) => folder);
}

function foldersAbove(from: string): string[] {
  const folders = [folderOf(from)];
  for (let at = folders[0] ?? ''; at !== ''; ) {
    at = folderOf(at.slice(0, -1));
    folders.push(at);
  }
  return folders;
}

const PART_OF_PACKAGE = /^(?:urdfs?|xacro|sdf|mjcf|robots?|worlds?|launch|config)$/i;

/** The folders that can be the package of a file whose name none has: `urdf/` is inside of one. */
function likelyPackagesOf(from: string): string[] {
  const [own = '', ...above] = foldersAbove(from);
  return PART_OF_PACKAGE.test(baseName(own.slice(0, -1))) ? [...above, own] : [own, ...above];
}

function findInAncestors(
  files: FileIndex,
  folders: readonly string[],
  steps: readonly string[],
): Resolved | undefined {
  return steps.length === 0 ? undefined : relative(files, folders, steps);
}

/**
 * Finds a file that is named through folders above the library, as `../checkout/meshes/a.stl`: it leads out of the
 * library by as many folders as it then names.
 */
function findInCheckout(
  files: FileIndex,
  bases: readonly string[],
  steps: readonly string[],
): Resolved | undefined {
  for (const base of bases) {
    const { kept, above } = walk(base, steps);
    const inside = kept.slice(above);
    if (above === 0 || inside.length < 2) continue;
    const path = files.find(inside.join('/'));
    if (path !== undefined) return { path, how: 'by its end' };
  }
  return undefined;
}

/** Finds a model that is named without `model://`, as Gazebo does in the folders of its resource path. */
function findDeclared(files: FileIndex, from: string, steps: readonly string[]): Resolved | undefined {
  const [name = '', ...rest] = steps;
  if (rest.length > 0) return undefined;
  const declared = files.packageFolders(name).filter((folder) => files.isDeclared(folder));
  const [folder] = nearestFirst(files, declared, from);
  return folder === undefined ? undefined : { folder };
}

/**
 * Finds the file with the longest common suffix (two segments at least, if the reference has as many), the nearest of
 * several. Letter case does not matter.
 */
function findBySuffix(
  files: FileIndex,
  from: string,
  steps: readonly string[],
  admits: (path: string) => boolean = () => true,
): Resolved | undefined {
  const wanted = steps.filter((step) => step !== '..');
  const name = wanted.at(-1);
  if (name === undefined || !name.includes('.')) return undefined;
  const own = files.packageOf(from);
  let best: { path: string; shared: number; near: number } | undefined;
  for (const path of files.findByName(name).slice(0, 1_000)) {
    if (!admits(path)) continue;
    const segments = path.split('/');
    const shared = commonSuffixLength(segments, wanted);
    const near = commonPrefixLength(path, from);
    // In another top-level folder more must match: three segments, or all of a path or of a shorter reference.
    const enough = near === 0 ? Math.max(2, Math.min(3, segments.length)) : 2;
    if (shared < Math.min(wanted.length, enough)) continue;
    if (!isNamed(files.packageOf(path), own, segments.length - shared)) continue;
    if (best === undefined || shared > best.shared || (shared === best.shared && near > best.near)) {
      best = { path, shared, near };
    }
  }
  return best === undefined ? undefined : { path: best.path, how: 'by its end' };
}

/**
 * Which files a reference can mean that is not there as written: where the folder that it names is in the same top-level
 * folder as the file that it is in, only that is meant, and not the folder of another robot.
 */
function likeness(files: FileIndex, from: string, steps: readonly string[]): (path: string) => boolean {
  const top = from.slice(0, from.indexOf('/') + 1);
  const isThere = steps
    .slice(0, -1)
    .some((step, at) => top === `${step}/` && files.hasFolder(`${steps.slice(at, -1).join('/')}/`));
  return (path) => !isThere || path.startsWith(top);
}

/** Finds a file whose folders were lost: the same name where the reference starts, as scans and exports have it. */
function findBeside(
  files: FileIndex,
  bases: readonly string[],
  steps: readonly string[],
): Resolved | undefined {
  const name = steps.at(-1) ?? '';
  if (!name.includes('.') || name === '..') return undefined;
  const found = relative(files, bases, [name]);
  return found !== undefined && 'path' in found ? { path: found.path, how: 'by its end' } : undefined;
}

const PICTURE = /\.(?:png|jpe?g|webp|tga|bmp|gif|tiff?|dds|exr|hdr|ktx2?)$/i;

/** Finds the only picture of that name in the same top-level folder. A mesh of the same name can be another one. */
function findPicture(files: FileIndex, from: string, steps: readonly string[]): Resolved | undefined {
  const name = steps.at(-1) ?? '';
  if (!PICTURE.test(name)) return undefined;
  const own = files.packageOf(from);
  const near = files
    .findByName(name)
    .filter((path) => commonPrefixLength(path, from) > 0 && isNamed(files.packageOf(path), own, Infinity));
  return near.length === 1 && near[0] !== undefined ? { path: near[0], how: 'by its end' } : undefined;
}

/**
 * Whether a file in `other` can be meant by a file in the package `own`: both are in the same package, or the reference
 * also names the folder of the other. `unnamed`: how many leading segments of the path it does not name.
 */
function isNamed(other: string | undefined, own: string | undefined, unnamed: number): boolean {
  if (other === undefined || own === undefined || own.startsWith(other)) return true;
  return unnamed < other.split('/').length - 1;
}

function findAt(files: FileIndex, base: string, steps: readonly string[]): Resolved | undefined {
  const { kept, above } = walk(base, steps);
  if (above > 0) return undefined;
  const path = kept.join('/');
  const found = files.find(path);
  if (found !== undefined) return { path: found, how: found === path ? 'as written' : 'letter case' };
  return path !== '' && files.hasFolder(`${path}/`) ? { folder: `${path}/` } : undefined;
}

/** Joins a path below the library's folder. `above`: how many folders it leads out of that before `kept`. */
function walk(base: string, steps: readonly string[]): { kept: string[]; above: number } {
  const kept: string[] = [];
  let above = 0;
  for (const step of [...base.split('/'), ...steps]) {
    if (step === '' || step === '.') continue;
    if (step !== '..') kept.push(step);
    else if (kept.pop() === undefined) above++;
  }
  return { kept, above };
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
