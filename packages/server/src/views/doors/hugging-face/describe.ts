import type { LibraryRow } from '../../../access/libraries.ts';
import type { DoorEntry } from '../../../doors/tree.ts';
import type { ClosureFile } from '../../../revision/file-closure.ts';

/** What Hugging Face calls a repository: each library is one of either kind. */
export type RepositoryKind = 'models' | 'datasets';

/** A repository as an entry of a list; `commit` is that of the revision which is shown. */
export function describeRepository(
  kind: RepositoryKind,
  namespace: string,
  row: LibraryRow,
  commit: string,
): Record<string, unknown> {
  const id = `${namespace}/${row.name}`;
  return {
    _id: commit.slice(0, 24),
    id,
    ...(kind === 'models' && { modelId: id }),
    author: namespace,
    sha: commit,
    createdAt: new Date(row.created_at).toISOString(),
    lastModified: new Date(row.updated_at).toISOString(),
    private: row.visibility !== 'public',
    gated: false,
    disabled: false,
    downloads: 0,
    likes: 0,
    description: row.description ?? row.title,
    tags: JSON.parse(row.tags),
    cardData: row.license === null ? {} : { license: row.license },
  };
}

/** The number of digits of a Git object's name. */
const OBJECT_NAME = 40;

/** The bytes of the pointer that Git LFS would store for a file. */
const POINTER_SIZE = 134;

/** A file as one of a repository's `siblings`. */
export function describeSibling({ path, size, sha256 }: ClosureFile, withBlobs: boolean) {
  if (!withBlobs) return { rfilename: path };
  const blobId = sha256.slice(0, OBJECT_NAME);
  return { rfilename: path, size, blobId, lfs: { size, sha256, pointerSize: POINTER_SIZE } };
}

/** When an entry was changed, for which the time of its revision stands. */
export interface LastCommit {
  id: string;
  title: string;
  date: string;
}

/** A file or folder of a tree. All files count as stored by Git LFS, which names them by their SHA-256. */
export function describeEntry(entry: DoorEntry, commit: string, lastCommit: LastCommit | null) {
  const expanded = lastCommit === null ? {} : { lastCommit };
  if (entry.kind === 'folder') {
    return { type: 'directory', oid: commit, size: 0, path: entry.path.slice(0, -1), ...expanded };
  }
  const { path, size, sha256 } = entry.file;
  const oid = sha256.slice(0, OBJECT_NAME);
  return {
    type: 'file',
    oid,
    size,
    path,
    lfs: { oid: sha256, size, pointerSize: POINTER_SIZE },
    ...expanded,
  };
}
