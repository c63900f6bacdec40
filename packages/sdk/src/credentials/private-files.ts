import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, open, readFile, realpath, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isSystemError } from '../failures.ts';
import { named } from '../tree/files.ts';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Creates the folder if it is missing, and denies others access to it. */
async function ensurePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  if (process.platform !== 'win32') await chmod(folder, FOLDER_MODE);
}

/** Returns the file's text, or null if there is no file. */
export async function readIfExists(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw named(error, path);
  }
}

/** Replaces the file atomically: readers see the old text or the new one, even after a power failure. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  await throughTemporaryFile(target, text, (temporary) => rename(temporary, target));
}

/** Creates the file if it does not exist; returns false if it does. */
export async function createPrivateFile(path: string, text: string): Promise<boolean> {
  try {
    await throughTemporaryFile(path, text, (temporary) => link(temporary, path));
    return true;
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Renames a file that cannot be read, so that nothing in it is lost; returns its new path. */
export async function renameDamaged(path: string): Promise<string> {
  const stamp = new Date().toISOString().replace(/[:.]/g, '-');
  const aside = `${path}.damaged-${stamp}`;
  await rename(path, aside);
  return aside;
}

export function isMissing(error: unknown): boolean {
  return isSystemError(error, 'ENOENT');
}

async function throughTemporaryFile(
  target: string,
  text: string,
  place: (temporary: string) => Promise<void>,
): Promise<void> {
  const folder = dirname(target);
  await ensurePrivateFolder(folder);
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = await open(temporary, 'wx', FILE_MODE);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await place(temporary);
    await syncFolder(folder);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
