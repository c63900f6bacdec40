import type { Stats } from 'node:fs';
import { lchown, open, opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartError } from './start-error.ts';

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
