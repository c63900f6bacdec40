import { hash } from 'node:crypto';
import { constants, existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { forEachBounded } from '@bindery/concurrency/for-each';
import { IntegrityError } from '../failures.ts';
import { verifyContent } from '../mirror/objects.ts';
import type { Placer } from '../place/placer.ts';
import type { TargetFile } from '../place/written-files.ts';
import { removeOlderThan, writeFileAtomically } from '../tree/files.ts';
import { fileTotal, type ProgressListener, withProgress } from '../tree/progress.ts';

const CONCURRENCY = 4;
const PIECE = 512 * 1024;
/** Opening must not block on a pipe that nobody writes to. */
const OPEN_FILE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** Paths on this machine that seem to have the wanted content. */
export type Copies = ReadonlyMap<TargetFile, string>;

/** Finds files that earlier pulls put into folders on this machine, if there is still one of the same size. */
export function findCopies(files: readonly TargetFile[], cacheFolder: string): Copies {
  const pulled = findPulledFiles(cacheFolder, new Set(files.map(({ sha256 }) => sha256)));
  return new Map(
    files.flatMap((file) => {
      const copy = pulled.get(file.sha256)?.find((place) => isFileOf(place, file.size));
      return copy === undefined ? [] : [[file, copy]];
    }),
  );
}

/** Places files from their copies, verifying every byte. Returns those whose copies are different or unreadable. */
export async function placeCopies(
  copies: Copies,
  placer: Placer,
  { signal, progress }: { signal?: AbortSignal | undefined; progress?: ProgressListener | undefined },
): Promise<TargetFile[]> {
  if (copies.size === 0) return [];
  const total = fileTotal([...copies.keys()]);
  return withProgress(progress, 'Copying from other folders', total, async (work) => {
    const changed: TargetFile[] = [];
    const onBytes = (bytes: number) => work.advance({ bytes });
    await forEachBounded(
      [...copies],
      { concurrency: CONCURRENCY, signal },
      async ([file, copy], fileSignal) => {
        try {
          await placer.placePieces(file, verifyContent(file, readCopy(copy, fileSignal), copy), onBytes);
        } catch (error) {
          if (!(error instanceof IntegrityError)) throw error;
          changed.push(file);
        }
        work.advance({ items: 1 });
      },
    );
    return changed;
  });
}

function isFileOf(place: string, size: number): boolean {
  try {
    const stats = lstatSync(place, { throwIfNoEntry: false });
    return stats?.isFile() === true && stats.size === size;
  } catch {
    return false;
  }
}

/** Reads a copy. Throws `IntegrityError` if it cannot be read for whatever reason. */
async function* readCopy(place: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(place, OPEN_FILE);
    if (!(await handle.stat()).isFile()) throw new IntegrityError(`${place} is no longer a file.`);
    for (;;) {
      signal.throwIfAborted();
      const { buffer, bytesRead } = await handle.read({ buffer: Buffer.allocUnsafe(PIECE) });
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof IntegrityError) throw error;
    throw new IntegrityError(`${place} can no longer be read.`, { cause: error });
  } finally {
    await handle?.close();
  }
}

const KEPT_DAYS = 90;
/** Maximum bytes of lists to read: a few hundred thousand files. */
const MAX_READ = 32 * 1024 * 1024;

/** Files that pulls put into one folder. Only a hint, since they might have changed. */
interface PulledFiles {
  root: string;
  /** Paths and SHA-256. */
  files: [path: string, sha256: string][];
}

/** Records files that a pull put into a folder without caching them. */
export function recordPulledFiles(cacheFolder: string, root: string, files: readonly TargetFile[]): void {
  if (files.length === 0) return;
  const list = join(listsIn(cacheFolder), `${hash('sha256', root).slice(0, 32)}.json`);
  const pulled = new Map(readList(list)?.files);
  for (const { path, sha256 } of files) pulled.set(path, sha256);
  try {
    if (!existsSync(list)) removeOlderThan(dirname(list), KEPT_DAYS);
    writeFileAtomically(list, JSON.stringify({ root, files: [...pulled] } satisfies PulledFiles));
  } catch {
    // The next pull downloads them again.
  }
}

/** Returns the paths of wanted content that pulls put into folders, by SHA-256, the most recent pull first. */
function findPulledFiles(cacheFolder: string, wanted: ReadonlySet<string>): Map<string, string[]> {
  const found = new Map<string, string[]>();
  let left = MAX_READ;
  for (const { list, size } of newestFirst(listsIn(cacheFolder))) {
    left -= size;
    if (left < 0) break;
    const { root, files } = readList(list) ?? { root: '', files: [] };
    for (const [path, sha256] of files) {
      if (!wanted.has(sha256)) continue;
      const places = found.get(sha256) ?? [];
      places.push(join(root, path));
      found.set(sha256, places);
    }
  }
  return found;
}

function listsIn(cacheFolder: string): string {
  return join(cacheFolder, 'pulled');
}

function readList(list: string): PulledFiles | null {
  try {
    const { root, files } = JSON.parse(readFileSync(list, 'utf8')) as Partial<PulledFiles>;
    const isList = Array.isArray(files) && files.every((file) => Array.isArray(file) && file.every(isText));
    return isText(root) && isList ? { root, files } : null;
  } catch {
    return null;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function newestFirst(folder: string): { list: string; size: number }[] {
  try {
    return readdirSync(folder)
      .map((name) => join(folder, name))
      .flatMap((list) => {
        const stats = statSync(list, { throwIfNoEntry: false });
        return stats ? [{ list, size: stats.size, mtimeMs: stats.mtimeMs }] : [];
      })
      .sort((a, b) => b.mtimeMs - a.mtimeMs);
  } catch {
    return [];
  }
}
