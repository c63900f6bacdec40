import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ManifestFile } from '@bindery/contract';
import { DAY } from '@bindery/contract/limits';
import { isSystemError } from '../failures.ts';
import type { UploadSource } from './upload-source.ts';

/** The mode of folders of caches and records: for the group too if the umask lets it write, and never for others. */
export const CACHE_FOLDER_MODE = (process.umask() & 0o070) === 0 ? 0o770 : 0o700;

/** Replaces a private file atomically, creating its folder if it is missing. */
export function writeFileAtomically(file: string, content: string | Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true, mode: CACHE_FOLDER_MODE });
  replaceFile(file, content, 0o600);
}

/** Replaces a file atomically. Others may read it too, unless its `mode` says otherwise. */
export function replaceFile(file: string, content: string | Uint8Array, mode = 0o666): void {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeFileSync(temporary, content, { mode, flag: 'wx' });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Deletes files of a folder that are older than `days`, which bounds a cache. Never throws. */
export function removeOlderThan(folder: string, days: number): void {
  const oldest = Date.now() - days * DAY;
  try {
    for (const name of readdirSync(folder)) {
      const file = join(folder, name);
      if (statSync(file).mtimeMs < oldest) rmSync(file, { force: true });
    }
  } catch {
    // A cache that cannot be cleaned still works.
  }
}

/** Reads a file. An error names it, as those about a folder in its place do not by themselves. */
export function readNamed(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw named(error, file);
  }
}

/** Returns the error, which names the file from now on. */
export function named(error: unknown, file: string): unknown {
  return error instanceof Error && 'syscall' in error ? Object.assign(error, { path: file }) : error;
}

/** Reads bytes of a file from `start`, fewer if the file ends. */
export function readPart(file: string, start: number, length: number): Uint8Array {
  const buffer = Buffer.allocUnsafeSlow(length);
  return buffer.subarray(0, fill(buffer, file, start));
}

/**
 * Creates a folder and its missing parents one by one: Node's own recursion never ends if an existing folder reports
 * ENOENT, as those of /proc do.
 */
export function makeFolders(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (isSystemError(error, 'EEXIST') && statSync(folder).isDirectory()) return;
    const above = dirname(folder);
    if (!isSystemError(error, 'ENOENT') || statSync(above, { throwIfNoEntry: false }) !== undefined)
      throw error;
    makeFolders(above);
    makeFolders(folder);
  }
}

const READ_CHUNK = 512 * 1024;

/** Returns a source for the file at `place` on this machine. */
export function fileSource(file: ManifestFile, place: string): UploadSource {
  return {
    ...file,
    open: (start, end) =>
      end - start <= READ_CHUNK
        ? readRange(place, start, end)
        : createReadStream(place, { start, end: end - 1, highWaterMark: READ_CHUNK }),
    read: (target) => fill(target, place, 0),
    isUnchanged: async () => (await hashOf(place)) === file.sha256,
  };
}

/** Returns null if it can no longer be read. */
async function hashOf(place: string): Promise<string | null> {
  const digest = createHash('sha256');
  try {
    await pipeline(createReadStream(place, { highWaterMark: READ_CHUNK }), digest);
    return digest.digest('hex');
  } catch {
    return null;
  }
}

/** Returns as much of the range as the file has; a store refuses a body that is too short. */
function readRange(place: string, start: number, end: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(end - start);
  return bytes.subarray(0, fill(bytes, place, start));
}

function fill(target: Uint8Array, place: string, start: number): number {
  const descriptor = openSync(place, 'r');
  try {
    return readFully(descriptor, target, start);
  } finally {
    closeSync(descriptor);
  }
}

/** Reads as much of `target` as the file has from `position` on; returns how much. */
export function readFully(descriptor: number, target: Uint8Array, position: number): number {
  let filled = 0;
  while (filled < target.length) {
    const read = readSync(descriptor, target, filled, target.length - filled, position + filled);
    if (read === 0) break;
    filled += read;
  }
  return filled;
}

export function writeFully(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(descriptor, bytes, written, bytes.length - written, position + written);
  }
}
