import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The mode of folders of caches and records: for the group too if the umask lets it write, and never for others. */
export const CACHE_FOLDER_MODE = (process.umask() & 0o070) === 0 ? 0o770 : 0o700;

/** Replaces a private file atomically, creating its folder if it is missing. */
export function writeFileAtomically(file: string, content: string | Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true, mode: CACHE_FOLDER_MODE });
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeFileSync(temporary, content, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Deletes files of a folder that are older than `days`, which bounds a cache. Never throws. */
export function removeOlderThan(folder: string, days: number): void {
  const oldest = Date.now() - days * 86_400_000;
  try {
    for (const name of readdirSync(folder)) {
      const file = join(folder, name);
      if (statSync(file).mtimeMs < oldest) rmSync(file, { force: true });
    }
  } catch {
    // A cache that cannot be cleaned still works.
  }
}
