import { createHash } from 'node:crypto';
import { constants, setPriority } from 'node:os';
import { withTransferList } from '@bindery/concurrency/worker';
import { CommitFile } from '../../doors/git/commit-file.ts';
import type { CommitText } from '../../doors/git/commits.ts';
import {
  beginName,
  clonedFiles,
  commitBytes,
  hexOf,
  isGitsOwn,
  nameOf,
  writeTrees,
} from '../../doors/git/objects.ts';
import { isLost } from '../../objects/damaged.ts';
import { contentsOf } from '../../objects/store.ts';
import type { Contents } from '../../revision/file-closure.ts';
import { RevisionIndex } from '../../revision/revision-index.ts';
import { decodeSections, encodeSections } from '../../revision/sections.ts';
import { localFiles } from '../workers/local-files.ts';
import { BlobNames, encodeName } from './names-file.ts';

export type CommitTask =
  /** Which contents of a revision have no name yet. */
  | { kind: 'survey'; indexFile: string; namesFile: string }
  /** The names of contents. */
  | { kind: 'name'; files: readonly { file: string; sha256: string; size: number }[] }
  | { kind: 'write'; indexFile: string; namesFile: string; text: CommitText; commitFile: string }
  /** What commits consist of and others do not. */
  | { kind: 'compare'; wanted: readonly string[]; had: readonly string[] };

/** Records of the file of names; `lost` are the hashes of contents that are damaged or missing. */
export interface Named {
  records: Uint8Array<ArrayBuffer>;
  lost: string[];
}

export interface Comparison {
  /** Of each wanted commit: whether it is lacking itself, and the places of its trees and blobs that are. */
  picks: { commit: boolean; trees: Uint32Array<ArrayBuffer>; blobs: Uint32Array<ArrayBuffer> }[];
  count: number;
  files: number;
  bytes: number;
}

/** Bytes that are read at a time. */
const READ = 2 ** 20;

/** The most paths that a commit tells as left out. */
const LEFT_OUT = 20;

/** On Linux each thread has its own priority: requests take precedence. */
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

export default function run(task: CommitTask): unknown {
  switch (task.kind) {
    case 'survey':
      return survey(task);
    case 'name':
      return nameContents(task);
    case 'write':
      return write(task);
    case 'compare':
      return compare(task);
  }
}

function survey({ indexFile, namesFile }: Extract<CommitTask, { kind: 'survey' }>): Contents {
  const names = new BlobNames(namesFile);
  const { files } = RevisionIndex.open(localFiles.read(indexFile));
  const missing = new Map<string, number>();
  for (const { path, sha256, size } of clonedFiles(files))
    if (!isGitsOwn(path) && names.of(sha256) === undefined) missing.set(sha256, size);
  return contentsOf(Array.from(missing, ([sha256, size]) => ({ sha256, size })));
}

function nameContents({ files }: Extract<CommitTask, { kind: 'name' }>): Named {
  const records: Buffer[] = [];
  const lost: string[] = [];
  for (const file of files) {
    const name = nameIfIntact(file);
    if (name === null) lost.push(file.sha256);
    else records.push(encodeName(file.sha256, name));
  }
  const joined = new Uint8Array(Buffer.concat(records));
  return withTransferList({ records: joined, lost }, [joined.buffer]);
}

const buffer = Buffer.allocUnsafeSlow(READ);

/** Hashes a file for git, and as its SHA-256 says what it has to be; null if it is something else. */
function nameIfIntact({ file, sha256, size }: { file: string; sha256: string; size: number }): string | null {
  try {
    using opened = localFiles.open(file);
    if (opened.size !== size) return null;
    const name = beginName('blob', size);
    const content = createHash('sha256');
    for (let at = 0; at < size; at += READ) {
      const piece = buffer.subarray(0, Math.min(READ, size - at));
      opened.fill(piece, at);
      name.update(piece);
      content.update(piece);
    }
    return content.digest('hex') === sha256 ? name.digest('binary') : null;
  } catch (error) {
    if (isLost(error)) return null;
    throw error;
  }
}

/** Writes the commit of a revision with everything below it. Returns its name. */
function write({ indexFile, namesFile, text, commitFile }: Extract<CommitTask, { kind: 'write' }>): string {
  const names = new BlobNames(namesFile);
  const { files } = RevisionIndex.open(localFiles.read(indexFile));
  const blobs = new Map<string, { sha256: string; size: number }>();
  const trees = new Map<string, Buffer>();
  const leftOut: string[] = [];
  const root = writeTrees(named(), (name, bytes) => trees.set(name, bytes));
  const commit = commitBytes(root, text);
  const { hashes, sizes } = contentsOf([...blobs.values()]);
  let end = 0;
  using file = localFiles.create(commitFile);
  const sections = {
    commit,
    'left-out': Buffer.from(JSON.stringify(leftOut.slice(0, LEFT_OUT))),
    trees: Buffer.concat([...trees.values()]),
    'trees.ends': Float64Array.from(trees.values(), ({ length }) => (end += length)),
    'trees.names': Buffer.from([...trees.keys()].join(''), 'latin1'),
    'blobs.names': Buffer.from([...blobs.keys()].join(''), 'latin1'),
    'blobs.hashes': hashes,
    'blobs.sizes': sizes,
  };
  for (const piece of encodeSections(sections)) file.append(piece);
  return hexOf(nameOf('commit', commit));

  function* named() {
    for (const { path, sha256, size } of clonedFiles(files)) {
      if (isGitsOwn(path)) leftOut.push(path);
      else {
        const name = names.of(sha256);
        if (name === undefined) throw new Error(`The content of ${path} has not been named.`);
        blobs.set(name, { sha256, size });
        yield { path, name };
      }
    }
  }
}

function compare({ wanted, had }: Extract<CommitTask, { kind: 'compare' }>): Comparison {
  const seen = new Set<string>();
  for (const commit of had.map(open)) for (const name of namesIn(commit)) seen.add(name);
  const outcome: Comparison = { picks: [], count: 0, files: 0, bytes: 0 };
  for (const commit of wanted.map(open)) {
    const picked = { trees: [] as number[], blobs: [] as number[] };
    for (const kind of ['trees', 'blobs'] as const)
      for (let place = 0; place < commit[kind]; place++) {
        const name = commit.nameOf(kind, place);
        if (seen.has(name)) continue;
        seen.add(name);
        picked[kind].push(place);
        if (kind === 'blobs') outcome.bytes += commit.blob(place).size;
      }
    const name = nameOf('commit', commit.commit);
    const lacks = !seen.has(name);
    seen.add(name);
    outcome.picks.push({
      commit: lacks,
      trees: Uint32Array.from(picked.trees),
      blobs: Uint32Array.from(picked.blobs),
    });
    outcome.count += Number(lacks) + picked.trees.length + picked.blobs.length;
    outcome.files += picked.blobs.length;
  }
  return withTransferList(
    outcome,
    outcome.picks.flatMap(({ trees, blobs }) => [trees.buffer, blobs.buffer]),
  );
}

function open(file: string): CommitFile {
  return new CommitFile(decodeSections(localFiles.read(file)));
}

function* namesIn(commit: CommitFile): Generator<string> {
  yield nameOf('commit', commit.commit);
  for (const kind of ['trees', 'blobs'] as const)
    for (let place = 0; place < commit[kind]; place++) yield commit.nameOf(kind, place);
}
