import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, parse, relative, resolve, sep } from 'node:path';
import { compareUtf8 } from '@bindery/contract/wire';
import type { RenderRequest } from '../artifacts/thumbnails.ts';
import { examineFile } from '../discovery/examine.ts';
import { BoundedFileReader, type ListedFile } from '../discovery/file-reader.ts';
import type { FileFacts, FileType } from '../discovery/formats/facts.ts';
import { Closures, type Finding, LibraryFiles } from '../discovery/graph/closure.ts';
import { findSubject } from '../discovery/subject.ts';
import { skipReasonOf } from '../tree/skipped-paths.ts';
import { readIn } from './facts-cache.ts';

/** Files that are listed of a folder and those below it. */
const MAX_FILES = 20_000;
const MAX_FOLDERS = 5_000;
/** Folders above that of a file in which its parts are looked for: those of a package and of a workspace. */
const MAX_LEVELS = 4;

/** A model or a picture on this machine that is in no library, with the files that it needs, below a folder. */
export interface LocatedModel extends Pick<RenderRequest, 'kind' | 'entry'> {
  readonly root: string;
  readonly sizes: ReadonlyMap<string, number>;
  /** Files that it refers to and that are not there, as they are written. */
  readonly missing: readonly string[];
}

/** See `findLocalModel`. */
export function locateModel(file: string, within = parse(resolve(file)).root): LocatedModel {
  const place = resolve(file);
  const own = dirname(place);
  let best = modelIn(own, [{ path: basename(place), size: statSync(place).size }], basename(place));
  for (let level = 0, folder = own; level <= MAX_LEVELS && best.unresolved > 0; level++) {
    const entry = relative(folder, place).split(sep).join('/');
    const listed = filesBelow(folder, within);
    if (!listed.some(({ path }) => path === entry)) break;
    const found = modelIn(folder, listed, entry);
    if (found.unresolved < best.unresolved) best = found;
    const above = dirname(folder);
    if (folder === within || isTooWide(above)) break;
    folder = above;
  }
  return best.model;
}

/** Whether all that somebody has is below a folder. */
function isTooWide(folder: string): boolean {
  return folder === dirname(folder) || isBelow(homedir(), folder);
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Content that says more than the name of a file. */
const KINDS: Partial<Record<FileType, string>> = {
  mjcf: 'mjcf',
  urdf: 'urdf',
  xacro: 'urdf',
  sdf: 'sdf',
  sog: 'splat',
  lod: 'splat',
};

/** Returns the model with those of the listed files that it refers to, and how many references lead to none of them. */
function modelIn(
  root: string,
  listed: readonly ListedFile[],
  entry: string,
): { model: LocatedModel; unresolved: number } {
  const read = readIn(root);
  const sizes = new Map(listed.map(({ path, size }) => [path, size]));
  const known = new Map<string, FileFacts | undefined>();
  // Of all that is in a folder, only what the model reaches is examined.
  const get = (path: string) => {
    if (!known.has(path)) {
      const file = new BoundedFileReader({ path, size: sizes.get(path) ?? 0 }, read);
      known.set(path, examineFile(file) ?? undefined);
    }
    return known.get(path);
  };
  const { files, findings } = new Closures(new LibraryFiles(listed, { get }, read)).of(entry);
  const type = get(entry)?.type;
  const missing = findings.filter(({ kind }) => kind === 'missing').map(({ text }) => text);
  return {
    model: {
      kind: (type && KINDS[type]) ?? findSubject([{ name: entry }])?.kind ?? 'mesh',
      entry,
      root,
      sizes: new Map([...files].map((path) => [path, sizes.get(path) ?? 0])),
      missing: [...new Set(missing)],
    },
    unresolved: findings.filter(({ kind }) => UNRESOLVED.has(kind)).length,
  };
}

const UNRESOLVED: ReadonlySet<Finding['kind']> = new Set(['missing', 'computed', 'unexpanded', 'faulty']);

/** The files in a folder and those below it, of which those far below may be missing. Sorted by path. */
function filesBelow(root: string, within: string): ListedFile[] {
  const files: ListedFile[] = [];
  const folders = [''];
  for (const folder of folders) {
    for (const entry of entriesOf(join(root, folder))) {
      const path = folder + entry.name;
      if (skipReasonOf(entry.name) !== null) continue;
      if (entry.isDirectory() && folders.length < MAX_FOLDERS) folders.push(`${path}/`);
      const size = sizeOf(join(root, path), entry, within);
      if (size !== null) files.push({ path, size });
    }
    if (files.length >= MAX_FILES) break;
  }
  return files.sort((a, b) => compareUtf8(a.path, b.path));
}

/** Empty for a folder that this person may not read. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Null for what is no file, and for a link out of `within`. */
function sizeOf(path: string, entry: Dirent, within: string): number | null {
  try {
    if (!entry.isFile() && !(entry.isSymbolicLink() && isBelow(realpathSync(path), within))) return null;
    const stats = statSync(path);
    return stats.isFile() ? stats.size : null;
  } catch {
    return null;
  }
}
