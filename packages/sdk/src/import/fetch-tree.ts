import { hash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { forEachBounded } from '@bindery/concurrency/for-each';
import { userPathProblem } from '@bindery/contract/wire';
import { ImportError, isSystemError } from '../failures.ts';
import { refuseCollisions } from '../tree/collisions.ts';
import { writeFileAtomically } from '../tree/files.ts';
import { fileTotal, type ProgressListener, withProgress } from '../tree/progress.ts';
import { NO_RULES, type PublishOptions, PublishRules } from '../tree/publish-rules.ts';
import { describeRule } from '../tree/skipped-paths.ts';
import { receive, refuseTooLarge, sizeOf } from './receive.ts';
import { type Unpacked, unpack } from './unpack.ts';
import { refuseTooMany, type UpstreamFile, type UpstreamTree, wrong } from './upstream.ts';

/** How often a file may be cut off. */
const ATTEMPTS = 4;

/** What is known of a file that has arrived. */
interface Arrived {
  path: string;
  version: string;
  url: string;
  /** When it arrived, as `2026-03-01`. */
  retrieved: string;
  /** What is in the folder for it. */
  files: readonly { path: string; size: number }[];
  /** What is in an archive and was left out. */
  leftOut?: Unpacked['leftOut'];
}

/** A folder that is as its source. */
export interface FetchedTree {
  /** The file of the source that each path came in. */
  origins: ReadonlyMap<string, Pick<Arrived, 'url' | 'retrieved'>>;
  /** What no library holds, with the reason. */
  leftOut: { path: string; reason: string }[];
  fetched: { files: number; bytes: number };
}

interface FetchOptions extends PublishOptions {
  /** The most bytes of all files; no limit without it. */
  maxBytes?: number | undefined;
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

/**
 * Makes `<place>/tree` hold the files of a source: those that arrived before stay, a file that was cut off goes on where
 * it ended, and each is verified as far as the source says what it is. Throws `ImportError`.
 */
export async function fetchTree(
  tree: UpstreamTree,
  place: string,
  { signal, progress, maxBytes = Number.POSITIVE_INFINITY, ...rules }: FetchOptions,
): Promise<FetchedTree> {
  const root = join(place, 'tree');
  const journal = join(place, 'arrived.jsonl');
  mkdirSync(root, { recursive: true });
  const { wanted, leftOut } = publishable(tree.files, rules);
  refuseCollisions(
    wanted.filter(({ archive }) => !archive).map(({ path }) => path),
    root,
  );
  const before = readJournal(journal);
  const isHere = ({ path, version }: UpstreamFile) => {
    const arrived = before.get(path);
    return (
      arrived?.version === version && arrived.files.every((one) => sizeOf(join(root, one.path)) === one.size)
    );
  };
  const { kept = [], missing = [] } = Object.groupBy(wanted, (file) => (isHere(file) ? 'kept' : 'missing'));
  const arrived = new Map(kept.map(({ path }) => [path, before.get(path) as Arrived]));
  removeOthers(root, new Set([...arrived.values()].flatMap(({ files }) => files.map(({ path }) => path))));
  writeFileAtomically(journal, [...arrived.values()].map(lineOf).join(''));
  let bytes = 0;
  let held = kept.reduce((sum, { path }) => sum + sizeOfArrived(arrived.get(path)), 0);
  refuseTooLarge(
    missing.reduce((sum, { size }) => sum + (size ?? 0), held),
    maxBytes,
  );
  const total = fileTotal(missing.map(({ size }) => ({ size: size ?? 0 })));
  await withProgress(progress, 'Fetching', total, (work) =>
    forEachBounded(missing, { concurrency: tree.concurrency, signal }, async (file, fileSignal) => {
      const partial = join(place, `${hash('sha256', `${file.path}\0${file.version}`)}.partial`);
      const size = await receiveWhole(tree, file, partial, fileSignal, maxBytes);
      const { path, version, url, archive } = file;
      const inside = archive ? await unpackInto(root, file, partial, rules) : { files: [{ path, size }] };
      if (!archive) moveInto(root, path, partial);
      const record: Arrived = { path, version, url, retrieved: today(), ...inside };
      arrived.set(path, record);
      appendFileSync(journal, lineOf(record));
      held += sizeOfArrived(record);
      refuseTooLarge(held, maxBytes);
      bytes += size;
      work.advance({ items: 1, bytes: file.size === null ? 0 : size });
    }),
  );
  removePartials(place);
  return {
    origins: new Map(
      [...arrived.values()].flatMap(({ files, url, retrieved }) =>
        files.map(({ path }) => [path, { url, retrieved }] as const),
      ),
    ),
    leftOut: [
      ...tree.leftOut,
      ...leftOut,
      ...[...arrived.values()].flatMap(({ leftOut: inside = [] }) => inside),
    ],
    fetched: { files: missing.length, bytes },
  };
}

function sizeOfArrived(arrived: Arrived | undefined): number {
  return (arrived?.files ?? []).reduce((sum, { size }) => sum + size, 0);
}

/** Leaves out what no push publishes, so that it is not fetched. Throws `ImportError` for names that no library holds. */
function publishable(
  files: readonly UpstreamFile[],
  options: PublishOptions,
): { wanted: UpstreamFile[]; leftOut: { path: string; reason: string }[] } {
  refuseTooMany(files.length);
  const rules = new PublishRules(options, () => new Uint8Array());
  const leftOut = new Map<string, string>();
  const paths = new Set<string>();
  const folders = new Set<string>();
  const wanted = files.filter(({ path, archive }) => {
    if (archive && path === '') return true;
    const problem = userPathProblem(path);
    if (problem !== null)
      throw new ImportError(
        'source_refused',
        `The source has a file ${JSON.stringify(path)}, which ${problem}.`,
      );
    if (paths.has(path))
      throw new ImportError('source_refused', `The source has two files ${JSON.stringify(path)}.`);
    paths.add(path);
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
      folders.add(path.slice(0, end));
      const { skipped } = rules.skipFolder(NO_RULES, path.slice(0, end));
      if (skipped === null) continue;
      leftOut.set(`${skipped.path}/`, describeRule(skipped));
      return false;
    }
    const skipped = archive ? null : rules.skipFile(NO_RULES, path);
    if (skipped === null || skipped === 'folder') return true;
    leftOut.set(path, describeRule(skipped));
    return false;
  });
  const both = wanted.find(({ path }) => folders.has(path) && paths.has(path));
  if (both) throw wrong(both, 'is a file and a folder in the source');
  return { wanted, leftOut: [...leftOut].map(([path, reason]) => ({ path, reason })) };
}

/** Receives a file, and goes on after it was cut off; returns its size. */
async function receiveWhole(...parts: Parameters<typeof receive>): Promise<number> {
  const [, , , signal] = parts;
  for (let attempt = 1; ; attempt++) {
    try {
      return await receive(...parts);
    } catch (error) {
      signal.throwIfAborted();
      if (attempt === ATTEMPTS || error instanceof ImportError || isSystemError(error, 'ENOSPC')) throw error;
    }
  }
}

/** Unpacks what a push publishes of an archive. */
async function unpackInto(
  root: string,
  file: UpstreamFile,
  archive: string,
  rules: PublishOptions,
): Promise<Unpacked> {
  const inFolder = (path: string) => (file.path === '' ? path : `${file.path}/${path}`);
  const unpacked = await unpack(file, archive, (entries) => {
    const listed = entries.map(({ path, size }) => ({
      ...{ path: inFolder(path), size, version: '', digest: null, url: file.url },
    }));
    const { wanted, leftOut } = publishable(listed, rules);
    refuseCollisions(
      wanted.map(({ path }) => path),
      root,
    );
    const paths = new Set(wanted.map(({ path }) => path));
    return {
      leftOut,
      target: (path) => (paths.has(inFolder(path)) ? join(root, inFolder(path)) : null),
    };
  });
  rmSync(archive);
  const files = unpacked.files.map(({ path, size }) => ({ path: inFolder(path), size }));
  return { ...unpacked, files };
}

function moveInto(root: string, path: string, partial: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  renameSync(partial, join(root, path));
}

function readJournal(file: string): Map<string, Arrived> {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return new Map(
    lines.flatMap((line) => {
      try {
        const arrived = JSON.parse(line) as Arrived;
        return [[arrived.path, arrived] as const];
      } catch {
        // The last line of an import that was killed.
        return [];
      }
    }),
  );
}

const lineOf = (arrived: Arrived) => `${JSON.stringify(arrived)}\n`;
const today = () => new Date().toISOString().slice(0, 10);

/** Removes files that are not `kept`, and folders without any. */
function removeOthers(root: string, kept: ReadonlySet<string>, prefix = ''): boolean {
  let isEmpty = true;
  for (const entry of readdirSync(join(root, prefix), { withFileTypes: true })) {
    const path = prefix + entry.name;
    const stays = entry.isDirectory() ? !removeOthers(root, kept, `${path}/`) : kept.has(path);
    if (stays) isEmpty = false;
    else rmSync(join(root, path), { recursive: true });
  }
  return isEmpty;
}

/** Removes what earlier imports of other versions left. */
function removePartials(place: string): void {
  for (const name of readdirSync(place)) if (name.endsWith('.partial')) rmSync(join(place, name));
}
