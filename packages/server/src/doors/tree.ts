import { nextTurn, turnIsOver } from '../process/turns.ts';
import type { ClosureFile } from '../revision/file-closure.ts';
import type { RevisionIndex } from '../revision/revision-index.ts';
import { missingAtDoor } from './revision.ts';
import { rootFiles } from './root-files.ts';

/*
 * The folder that clients of a door see: the files of a revision where they were when it was pushed. Platform artifacts
 * are not in it, but can be read by their paths.
 */

/** What is at a path: a file, or a folder, whose path is empty or ends with a slash. */
export type DoorEntry = { kind: 'file'; file: ClosureFile } | { kind: 'folder'; path: string };

type Tree = Pick<RevisionIndex, 'files'>;

/** Finds what is at a path, which for a folder may end with a slash; null is a path of nothing. Throws `not_found`. */
export function findAtDoor({ files }: Tree, path: string | null): DoorEntry {
  if (path === null) throw missingPath();
  const file = files.find(path) ?? rootFiles(files).find((root) => root.path === path);
  if (file) return { kind: 'file', file };
  const folder = path === '' || path.endsWith('/') ? path : `${path}/`;
  const { first, end } = files.paths.startingWith(folder);
  if (first === end && folder !== '') throw missingPath();
  return { kind: 'folder', path: folder };
}

/** Like `findAtDoor`, for files alone. */
export function findFileAtDoor(tree: Tree, path: string | null): ClosureFile {
  const found = findAtDoor(tree, path);
  if (found.kind === 'folder') throw missingPath();
  return found.file;
}

/** Like `findAtDoor`, for folders alone; returns the path. */
export function findFolderAtDoor(tree: Tree, path: string | null): string {
  const found = findAtDoor(tree, path);
  if (found.kind === 'file') throw missingPath();
  return found.path;
}

function missingPath() {
  return missingAtDoor('path', 'This revision has no file or folder at this path.');
}

/** Yields what is directly in a folder. */
export async function* listFolder({ files }: Tree, folder: string): AsyncGenerator<DoorEntry> {
  if (folder === '') for (const file of rootFiles(files)) yield { kind: 'file', file };
  const { first, end } = files.paths.startingWith(folder);
  for (let place = first; place < end; ) {
    const path = files.paths.at(place);
    const slash = path.indexOf('/', folder.length);
    const inner = slash < 0 ? null : path.slice(0, slash + 1);
    if (!files.isPlatform(place)) {
      yield inner === null ? { kind: 'file', file: files.at(place) } : { kind: 'folder', path: inner };
    }
    place = inner === null ? place + 1 : files.paths.startingWith(inner).end;
    if (turnIsOver()) await nextTurn();
  }
}

/** A part of everything in a folder; `next` is where the following part begins, null if there is none. */
export interface TreePage {
  entries: DoorEntry[];
  next: number | null;
}

/** Returns a page of what is in a folder at any depth, each folder before its files. */
export async function walkFolder(
  { files }: Tree,
  folder: string,
  { from, limit }: { from: number; limit: number },
): Promise<TreePage> {
  const { first, end } = files.paths.startingWith(folder);
  const entries: DoorEntry[] = [];
  if (folder === '' && from === 0) entries.push(...rootFiles(files).map(asEntry));
  let place = Math.max(first, from);
  for (; place < end && entries.length < limit; place++) {
    if (turnIsOver()) await nextTurn();
    if (files.isPlatform(place)) continue;
    const before = place > first ? files.paths.at(place - 1) : folder;
    const file = files.at(place);
    entries.push(...foldersEntered(before, file.path, folder.length), asEntry(file));
  }
  return { entries, next: place < end ? place : null };
}

function asEntry(file: ClosureFile): DoorEntry {
  return { kind: 'file', file };
}

/** The folders of `path` that `before`, which precedes it in the order of paths, is not in. */
function foldersEntered(before: string, path: string, from: number): DoorEntry[] {
  const entered: DoorEntry[] = [];
  for (let slash = path.indexOf('/', from); slash >= 0; slash = path.indexOf('/', slash + 1)) {
    const folder = path.slice(0, slash + 1);
    if (!before.startsWith(folder)) entered.push({ kind: 'folder', path: folder });
  }
  return entered;
}

/** Yields every file. */
export async function* allFiles({ files }: Tree): AsyncGenerator<ClosureFile> {
  yield* rootFiles(files);
  for (let place = 0; place < files.count; place++) {
    if (!files.isPlatform(place)) yield files.at(place);
    if (turnIsOver()) await nextTurn();
  }
}
