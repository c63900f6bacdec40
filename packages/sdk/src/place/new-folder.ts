import { randomBytes } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { ConflictError } from '../failures.ts';

/**
 * Writes a folder where nothing or an empty folder is, all of it or nothing. `unchanged`: it had the same files before.
 * Throws `ConflictError` for a folder with other files.
 */
export async function writeNewFolder<T>(
  target: string,
  write: (draft: string) => Promise<T>,
): Promise<{ folder: string; unchanged: boolean; written: T }> {
  const folder = resolve(target);
  const draft = join(dirname(folder), `.${basename(folder)}.${randomBytes(6).toString('hex')}`);
  mkdirSync(draft, { recursive: true });
  try {
    const written = await write(draft);
    const unchanged = isSameFolder(draft, folder);
    if (!unchanged) publish(draft, folder, target);
    return { folder: realpathSync(folder), unchanged, written };
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Moves a finished folder to its place, where nothing or an empty folder is. */
function publish(draft: string, folder: string, target: string): void {
  const there = statSync(folder, { throwIfNoEntry: false });
  if (there && (!there.isDirectory() || readdirSync(folder).length > 0)) {
    const message = `${target} exists and is not what would be written. Choose a new folder.`;
    throw new ConflictError(message, [target]);
  }
  if (there) rmdirSync(folder);
  renameSync(draft, folder);
}

function isSameFolder(one: string, other: string): boolean {
  if (!statSync(other, { throwIfNoEntry: false })?.isDirectory()) return false;
  const paths = filesBelow(one);
  return (
    JSON.stringify(filesBelow(other)) === JSON.stringify(paths) &&
    paths.every((path) => readFileSync(join(one, path)).equals(readFileSync(join(other, path))))
  );
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length))
    .sort();
}
