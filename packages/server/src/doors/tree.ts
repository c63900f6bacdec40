import { nextTurn, turnIsOver } from '../process/turns.ts';
import type { ClosureFile } from '../revision/file-closure.ts';
import type { RevisionIndex } from '../revision/revision-index.ts';
import { missingAtDoor } from './revision.ts';

/** What is at a path of a revision: a file, or a folder, whose path is empty or ends with a slash. */
export type DoorEntry = { kind: 'file'; file: ClosureFile } | { kind: 'folder'; path: string };

/** Finds what is at a path, which for a folder may end with a slash; null is a path of nothing. Throws `not_found`. */
export function findAtDoor({ files }: Pick<RevisionIndex, 'files'>, path: string | null): DoorEntry {
  if (path === null) throw missingPath();
  const file = files.find(path);
  if (file !== null) return { kind: 'file', file };
  const folder = path === '' || path.endsWith('/') ? path : `${path}/`;
  const { first, end } = files.paths.startingWith(folder);
  if (first === end && folder !== '') throw missingPath();
  return { kind: 'folder', path: folder };
}

function missingPath() {
  return missingAtDoor('path', 'This revision has no file or folder at this path.');
}

/** Yields what is directly in a folder, in the order of UTF-8 bytes; no platform artifacts. */
export async function* listFolder(
  { files }: Pick<RevisionIndex, 'files'>,
  folder: string,
): AsyncGenerator<DoorEntry> {
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
