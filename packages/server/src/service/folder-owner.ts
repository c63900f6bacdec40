import type { Stats } from 'node:fs';
import { lchown, open, opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unlessMissing } from '../objects/missing.ts';
import { StartError } from './start-error.ts';

const PROGRAM = fileURLToPath(import.meta.url);

type Owner = Pick<Stats, 'uid' | 'gid'>;

/*
 * Operators run commands as root, but the service runs as another user, who could not read what root has written, not
 * even while the command is still running.
 */

/**
 * Works in a data folder as its owner if this process is root's, so that everything that the work creates can be used
 * by the service. Not for work that reads or writes what only root can, such as backups. Throws `StartError` if the
 * owner cannot run this program, or root cannot become them.
 */
export async function asOwner<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  if (process.geteuid?.() !== 0) return work();
  // The work itself reports a folder that cannot be used.
  const owner = await stat(folder).catch(() => null);
  if (!owner || owner.uid === 0) return work();
  try {
    await becomeOwner(owner);
  } catch (error) {
    throw new StartError(
      `The data folder ${folder} belongs to another user, and root cannot run ${PROGRAM} as that user ` +
        `(${(error as NodeJS.ErrnoException).code}). Run the command with "sudo -u '#${owner.uid}'".`,
      { cause: error },
    );
  }
  try {
    return await work();
  } finally {
    becomeRoot();
  }
}

async function becomeOwner({ uid, gid }: Owner): Promise<void> {
  try {
    process.setegid?.(gid);
    process.seteuid?.(uid);
    // The program loads parts of itself when it needs them. (`access` would ask for the user who started it.)
    await (await open(PROGRAM)).close();
  } catch (error) {
    becomeRoot();
    throw error;
  }
}

function becomeRoot(): void {
  process.seteuid?.(0);
  process.setegid?.(0);
}

/**
 * Gives everything in a folder to its owner, or the folder too to that of another one, after work in it that only root
 * can do.
 */
export async function giveToOwner(folder: string, as = folder): Promise<void> {
  if (process.geteuid?.() !== 0) return;
  const owner = await unlessMissing(stat(as));
  if (!owner || owner.uid === 0) return;
  const { uid, gid } = owner;
  await lchown(folder, uid, gid);
  for await (const { parentPath, name } of await opendir(folder, { recursive: true })) {
    await lchown(join(parentPath, name), uid, gid);
  }
}
