import { readFile, rename, writeFile } from 'node:fs/promises';
import { ServiceError } from '../../../errors.ts';
import { unlessMissing } from '../../../objects/missing.ts';
import { makeFolder, PRIVATE_FILE, syncFolder } from './files.ts';

/**
 * The mark of a store's folder: a file with a random id, which the database knows too. Where a disk is not mounted, its
 * mount point is an empty folder: without the mark, what is published would be written there.
 */
export function markFile(folder: string): string {
  return `${folder}/store-id`;
}

/** Returns the id in the mark of a folder; null if there is none. */
export async function readMark(folder: string): Promise<string | null> {
  return (await unlessMissing(readFile(markFile(folder), 'utf8')))?.trim() ?? null;
}

/** Marks a folder durably, creating it if it does not exist. */
export async function writeMark(folder: string, id: string): Promise<void> {
  await makeFolder(folder);
  const arriving = `${markFile(folder)}.new`;
  await writeFile(arriving, `${id}\n`, { mode: PRIVATE_FILE, flush: true });
  await rename(arriving, markFile(folder));
  await syncFolder(folder);
}

/** Throws `unavailable` if the folder does not have the mark that it had when the service started. */
export async function requireMark(folder: string, id: string): Promise<void> {
  if ((await readMark(folder)) === id) return;
  throw new ServiceError(
    'unavailable',
    'The disk with the files of libraries is missing; nothing can be stored.',
  );
}
