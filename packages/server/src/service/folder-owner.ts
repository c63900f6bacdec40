import { lchown, opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Gives everything in a folder to the owner of the folder. Root does what operators ask for, but the service runs as
 * another user, who could not use what root has written.
 */
export async function giveToOwner(folder: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  if (uid === 0) return;
  for await (const { parentPath, name } of await opendir(folder, { recursive: true })) {
    await lchown(join(parentPath, name), uid, gid);
  }
}
