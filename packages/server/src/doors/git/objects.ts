import { createHash } from 'node:crypto';
import type { RevisionRow } from '../../access/libraries.ts';
import type { ClosureFile, FileClosure } from '../../revision/file-closure.ts';
import { rootFiles } from '../root-files.ts';
import type { CommitText } from './commits.ts';

/*
 * A revision as git's objects, by the formats of gitformat-pack(5) and git-hash-object(1). Names of objects are 20 bytes,
 * here one character each, so that they can be keys.
 */

/** Bytes of an object's name. */
export const NAME_BYTES = 20;

export type ObjectKind = 'commit' | 'tree' | 'blob';

/** Begins the hash by which git names an object. */
export function beginName(kind: ObjectKind, size: number) {
  return createHash('sha1').update(`${kind} ${size}\0`);
}

export function nameOf(kind: ObjectKind, bytes: Uint8Array): string {
  return beginName(kind, bytes.length).update(bytes).digest('binary');
}

export function hexOf(name: string): string {
  return Buffer.from(name, 'latin1').toString('hex');
}

/** Returns the commit of a revision that was published at a time, in milliseconds since 1970. */
export function commitTextOf(namespace: string, row: RevisionRow, publishedAt: number): CommitText {
  const upstream = [row.upstream_repo, row.upstream_commit].filter((part) => part !== null).join(' ');
  const notes = [`Manifest: ${row.manifest_sha256}`, ...(upstream === '' ? [] : [`Upstream: ${upstream}`])];
  const lines = notes.map((line) => line.replaceAll(/\p{Cc}+/gu, ' ')).join('\n');
  const message = `${namespace}/${row.name}, revision ${row.revision}\n\n${lines}\n`;
  return { message, date: Math.floor(publishedAt / 1_000) };
}

/** Who made every commit: those who published are members, whom not everybody may see. */
const AUTHOR = 'Bindery <bindery@invalid>';

export function commitBytes(tree: string, { message, date }: CommitText): Buffer {
  const who = `${AUTHOR} ${date} +0000`;
  return Buffer.from(`tree ${hexOf(tree)}\nauthor ${who}\ncommitter ${who}\n\n${message}`);
}

/** Characters that HFS+ ignores in names. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Names that git takes for its own on some file system: its short names on NTFS too, whatever streams they name. */
const OWN =
  /^(\.git|\.gitmodules|\.gitattributes|git~\d+|gitmod~\d+|gitatt~\d+|gi7[0-9a-f]*~\d+)[ .]*(:.*)?$/i;

/** Whether git refuses a path, or reads the file as a setting of the whole tree. */
export function isGitsOwn(path: string): boolean {
  if (!/git|gi7|[^\x20-\x7e]/i.test(path)) return false;
  return path.split('/').some((segment) => OWN.test(segment.replaceAll(IGNORED, '')));
}

/** Yields what a clone has, in the order of git's trees, which is that of the paths' bytes. */
export function* clonedFiles(files: FileClosure): Generator<ClosureFile> {
  const roots = rootFiles(files)
    .filter(
      ({ path }) => files.paths.startingWith(`${path}/`).first === files.paths.startingWith(`${path}/`).end,
    )
    .sort((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)));
  for (let place = 0; place < files.count; place++) {
    if (files.isPlatform(place)) continue;
    const file = files.at(place);
    while (roots[0] && Buffer.compare(Buffer.from(roots[0].path), Buffer.from(file.path)) < 0)
      yield roots.shift() as ClosureFile;
    yield file;
  }
  yield* roots;
}

const FILE_MODE = '100644';
const FOLDER_MODE = '40000';

/** How many characters of a tree are kept as a text before they become bytes. */
const PIECE = 2 ** 16;

/** A tree that is being written: what is in a folder, one entry after the other. */
class OpenTree {
  readonly folder: string;
  readonly #pieces: Buffer[] = [];
  #last = '';

  constructor(folder: string) {
    this.folder = folder;
  }

  add(mode: string, entry: string, name: string): void {
    this.#last += `${mode} ${Buffer.from(entry).toString('latin1')}\0${name}`;
    if (this.#last.length < PIECE) return;
    this.#pieces.push(Buffer.from(this.#last, 'latin1'));
    this.#last = '';
  }

  bytes(): Buffer {
    return Buffer.concat([...this.#pieces, Buffer.from(this.#last, 'latin1')]);
  }
}

/**
 * Writes the trees of files that come in the order of their paths, each with the name of its blob. `keep` is given every
 * tree, those within before the one around them. Returns the name of the outermost.
 */
export function writeTrees(
  files: Iterable<{ path: string; name: string }>,
  keep: (name: string, bytes: Buffer) => void,
): string {
  const open = [new OpenTree('')];
  const close = (): string => {
    const bytes = (open.pop() as OpenTree).bytes();
    const name = nameOf('tree', bytes);
    keep(name, bytes);
    return name;
  };
  const closeFolder = () => {
    const { folder } = open.at(-1) as OpenTree;
    const name = close();
    open.at(-1)?.add(FOLDER_MODE, folder.slice(folder.lastIndexOf('/', folder.length - 2) + 1, -1), name);
  };
  for (const { path, name } of files) {
    while (!path.startsWith((open.at(-1) as OpenTree).folder)) closeFolder();
    let { length } = (open.at(-1) as OpenTree).folder;
    for (let slash = path.indexOf('/', length); slash >= 0; slash = path.indexOf('/', length)) {
      length = slash + 1;
      open.push(new OpenTree(path.slice(0, length)));
    }
    open.at(-1)?.add(FILE_MODE, path.slice(length), name);
  }
  while (open.length > 1) closeFolder();
  return close();
}
