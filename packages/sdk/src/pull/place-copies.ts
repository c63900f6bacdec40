import { constants, lstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { forEachBounded } from '@bindery/concurrency/for-each';
import { IntegrityError } from '../failures.ts';
import { verifyContent } from '../mirror/objects.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import { NO_PROGRESS } from '../tree/progress.ts';
import { type FetchOptions, recordWritten, type WrittenFiles } from './fetch-files.ts';
import { PartialFiles } from './partial-files.ts';
import { placePieces } from './place-pieces.ts';
import { findPulledFiles } from './pulled-files.ts';
import type { TargetFile } from './select-files.ts';

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
  folder: GuardedFolder,
  missing: ReadonlySet<TargetFile>,
  written: WrittenFiles,
  { objects, signal, progress = NO_PROGRESS }: FetchOptions,
): Promise<TargetFile[]> {
  if (copies.size === 0) return [];
  const partials = new PartialFiles(folder);
  const bytes = copies.keys().reduce((sum, { size }) => sum + size, 0);
  const work = progress.start('Copying from other folders', { bytes, items: copies.size, unit: 'files' });
  const onBytes = (more: number) => work.advance({ bytes: more });
  const changed: TargetFile[] = [];
  try {
    await forEachBounded(
      [...copies],
      { concurrency: CONCURRENCY, signal },
      async ([file, copy], fileSignal) => {
        const pieces = verifyContent(file, readCopy(copy, fileSignal), copy);
        try {
          const identity = await placePieces(file, pieces, { folder, partials, cache: objects, onBytes });
          recordWritten(written, file, identity, missing);
        } catch (error) {
          if (!(error instanceof IntegrityError)) throw error;
          changed.push(file);
        }
        work.advance({ items: 1 });
      },
    );
    work.finish();
    return changed;
  } finally {
    work.stop();
  }
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
    if (!(await handle.stat()).isFile()) throw new IntegrityError(`${place} is no longer a file`);
    for (;;) {
      signal.throwIfAborted();
      const { buffer, bytesRead } = await handle.read({ buffer: Buffer.allocUnsafe(PIECE) });
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof IntegrityError) throw error;
    throw new IntegrityError(`${place} can no longer be read`, { cause: error });
  } finally {
    await handle?.close();
  }
}
