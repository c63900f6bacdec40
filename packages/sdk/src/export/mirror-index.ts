import { closeSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sleep } from '../client/retry.ts';
import { ConflictError } from '../failures.ts';
import { formatLibraryAddress, type LibraryAddress } from '../library/library-address.ts';
import type { ContentId } from '../mirror/objects.ts';
import { replaceFile } from '../tree/files.ts';

const MIRROR_VERSION = 1;
const FILE = 'mirror.json';
/** A process holds this lock file while it replaces the index. */
const LOCK = '.mirror.json.lock';
const LOCK_POLL_MS = 20;
/** Milliseconds after which the holder of the lock is assumed to have died. */
const LOCK_STALE_MS = 10_000;

/** One exported state of a library. */
export interface MirrorEntry {
  revision: number;
  manifest: ContentId;
}

type Libraries = Record<string, Record<string, MirrorEntry>>;

/**
 * Throws `ConflictError` if `mirror.json` has a newer format, or is not an index. The index is for people and their
 * scripts: nothing in it is trusted.
 */
export function checkMirrorIndex(folder: string): void {
  readLibraries(folder);
}

/** Adds a library to `mirror.json` atomically, keeping what others added. */
export async function addToMirrorIndex(
  folder: string,
  address: LibraryAddress,
  entry: MirrorEntry,
  signal?: AbortSignal,
): Promise<void> {
  const lock = join(folder, LOCK);
  await acquireLock(lock, signal);
  try {
    const libraries = readLibraries(folder);
    const name = formatLibraryAddress({ namespace: address.namespace, name: address.name });
    const states = { ...libraries[name], [address.release ?? `@${entry.revision}`]: entry };
    const index = {
      mirrorVersion: MIRROR_VERSION,
      libraries: sorted({ ...libraries, [name]: sorted(states) }),
    };
    replaceFile(join(folder, FILE), `${JSON.stringify(index, null, 2)}\n`);
  } finally {
    rmSync(lock, { force: true });
  }
}

function readLibraries(folder: string): Libraries {
  const file = join(folder, FILE);
  const text = statSync(file, { throwIfNoEntry: false }) === undefined ? null : readFileSync(file, 'utf8');
  if (text === null) return {};
  const index = parse(text);
  const { mirrorVersion, libraries } = index ?? {};
  if (typeof mirrorVersion === 'number' && mirrorVersion > MIRROR_VERSION) {
    throw new ConflictError(`${file} has a newer format; write to it with a newer version of Bindery.`, [
      file,
    ]);
  }
  const isMap = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  if (
    mirrorVersion === MIRROR_VERSION &&
    isMap(libraries) &&
    Object.values(libraries as object).every(isMap)
  ) {
    return libraries as Libraries;
  }
  throw new ConflictError(`${file} is not the index of a mirror; move it away and export again.`, [file]);
}

function parse(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function acquireLock(lock: string, signal: AbortSignal | undefined): Promise<void> {
  for (;;) {
    try {
      closeSync(openSync(lock, 'wx'));
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const held = statSync(lock, { throwIfNoEntry: false });
    if (held !== undefined && Date.now() - held.mtimeMs > LOCK_STALE_MS) rmSync(lock, { force: true });
    else await sleep(LOCK_POLL_MS, signal);
  }
}
