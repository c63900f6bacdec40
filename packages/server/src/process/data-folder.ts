import type { Stats } from 'node:fs';
import { chmod, lchown, mkdir, open, opendir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { isSqliteBusy, sqliteReason } from '../database/failures.ts';
import { StartError } from '../errors.ts';

/** The folder that holds everything the service stores on this machine; one process serves it at a time. */
export interface DataFolder {
  path: string;
  databaseFile: string;
  objects: string;
  /** Releases the folder for another process. */
  release(): void;
}

/** Returns where things are stored in a data folder. */
export function dataFolderLayout(dataDir: string): Pick<DataFolder, 'path' | 'databaseFile' | 'objects'> {
  const path = resolve(dataDir);
  return { path, databaseFile: join(path, 'bindery.db'), objects: join(path, 'objects') };
}

/** Creates the folder if it is missing, private to the user of this process (0700). Throws `StartError`. */
export async function makeDataFolder(dataDir: string): Promise<void> {
  const { path } = dataFolderLayout(dataDir);
  try {
    await makeFolders(path, 0o700);
    await chmod(path, 0o700);
  } catch (error) {
    throw new StartError(
      `The data folder ${path} cannot be written (${(error as NodeJS.ErrnoException).code}). ` +
        'Make it a folder that this user owns, or choose another with --data-dir or BINDERY_DATA_DIR.',
      { cause: error },
    );
  }
}

/** Creates the folder and locks it for this process. Throws `StartError` if another process serves it. */
export async function lockDataFolder(dataDir: string): Promise<DataFolder> {
  await makeDataFolder(dataDir);
  const layout = dataFolderLayout(dataDir);
  return { ...layout, release: acquireLock(layout.path) };
}

/**
 * Takes a lock that the operating system releases with the process, however it terminates: an exclusive transaction on
 * a dedicated SQLite file. A file with a process id would outlive a crash.
 */
function acquireLock(path: string): () => void {
  const file = join(path, 'serving.lock');
  let lock: DatabaseSync | null = null;
  try {
    lock = new DatabaseSync(file, { timeout: 0 });
    lock.exec('begin exclusive');
    return () => lock?.close();
  } catch (error) {
    lock?.close();
    throw new StartError(
      isSqliteBusy(error)
        ? `Another Bindery is already using the data folder ${path}. Stop it first, or choose another with --data-dir.`
        : `The data folder ${path} cannot be locked with its file ${file}: ${sqliteReason(error) ?? (error as Error).message}. ` +
            'Or choose another folder with --data-dir or BINDERY_DATA_DIR.',
      { cause: error },
    );
  }
}

const PROGRAM = fileURLToPath(import.meta.url);

/*
 * Operators run commands as root, but the service runs as another user, who could not read what root has written.
 */

/**
 * Works in a data folder as its owner if this process is root's, so that everything that the work creates can be used
 * by the service at once. Where the owner cannot reach the folder or this program, as below `/var/lib/private`, root
 * works and gives the owner everything in the end. Not for work that reads or writes elsewhere what only root can, such
 * as backups. Throws `StartError` if root may not become the owner.
 */
export async function asOwner<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  if (process.geteuid?.() !== 0) return work();
  // The work itself reports a folder that cannot be used.
  const owner = await stat(folder).catch(() => null);
  if (!owner || owner.uid === 0) return work();
  try {
    becomeOwner(folder, owner);
    if (await canOpen(folder, PROGRAM)) return await work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
  try {
    return await work();
  } finally {
    await giveToOwner(folder);
  }
}

function becomeOwner(folder: string, { uid, gid }: Stats): void {
  try {
    process.setegid?.(gid);
    process.seteuid?.(uid);
  } catch (error) {
    throw new StartError(
      `The data folder ${folder} belongs to another user, whom this root may not become ` +
        `(${(error as NodeJS.ErrnoException).code}). Run the command with "sudo -u '#${uid}'".`,
      { cause: error },
    );
  }
}

/** Whether this user can read all of these. (`access` would ask for the user who started the process.) */
async function canOpen(...paths: string[]): Promise<boolean> {
  try {
    for (const path of paths) await (await open(path)).close();
    return true;
  } catch {
    return false;
  }
}

/**
 * Gives everything in a folder to its owner, or the folder too to that of another one, after work in it that only root
 * can do.
 */
export async function giveToOwner(folder: string, as = folder): Promise<void> {
  if (process.geteuid?.() !== 0) return;
  const owner = await stat(as).catch(ignoreMissing);
  if (!owner || owner.uid === 0) return;
  const { uid, gid } = owner;
  if (as !== folder) await lchown(folder, uid, gid);
  for await (const { parentPath, name } of await opendir(folder, { recursive: true })) {
    // The service might be running.
    await lchown(join(parentPath, name), uid, gid).catch(ignoreMissing);
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

/**
 * Creates a folder and its parents. Node's own recursive `mkdir` never ends where the system reports a folder as missing
 * although its parent is there, as below `/proc`.
 */
export async function makeFolders(path: string, mode: number): Promise<void> {
  let failure = await tryToMake(path, mode);
  if (failure?.code === 'ENOENT' && dirname(path) !== path) {
    await makeFolders(dirname(path), mode);
    failure = await tryToMake(path, mode);
  }
  if (failure) throw failure;
}

/** Returns why there is no folder; null if there is one. */
async function tryToMake(path: string, mode: number): Promise<NodeJS.ErrnoException | null> {
  try {
    await mkdir(path, { mode });
    return null;
  } catch (error) {
    const found = await stat(path).catch(() => null);
    return found?.isDirectory() ? null : (error as NodeJS.ErrnoException);
  }
}
